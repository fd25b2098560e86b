// SPDX-License-Identifier: MIT
// Shared by the two translation units of the separate compilation test.
#pragma once
using Op = int (*)(int);
struct Shape {
  __device__ virtual int area() const = 0;
};
__device__ Shape* make_square(int side);
extern __device__ int calls;
extern __device__ Op ops[2];
