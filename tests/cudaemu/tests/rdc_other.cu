// SPDX-License-Identifier: MIT
// Second translation unit of the separate compilation test: what the first one calls directly and through pointers.
#include "rdc.h"

struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
__device__ Shape* make_square(int side) {
  return new Square(side);
}
__device__ int calls = 40;
static __device__ int twice(int x) {
  return 2 * x;
}
static __device__ int plus_one(int x) {
  return x + 1;
}
__device__ Op ops[2] = {twice, plus_one};
