// SPDX-License-Identifier: MIT
// Columns: how a table's rows are reached. A column is a pointer and a size, passed by value to kernels. Vectors and
// quaternions are stored split, one plane of floats a component, and are read and written by value, so that no user of
// a column knows how it lies in memory.
#pragma once
#include <talus/config.h>
#include <talus/types.h>

namespace talus {

/// A row of scalars in the memory of a backend. Does not own.
template <class T>
struct Column {
  T* data = nullptr;
  Index size = 0;

  bool operator==(const Column&) const = default;  ///< the same memory, not the same content
  TALUS_INLINE T& operator[](Index row) const {
    TALUS_ASSERT(row >= 0 && row < size);
    return data[row];
  }
};

/// A row of vectors, stored as x[], y[], z[].
struct Vec3Column {
  float* x = nullptr;
  float* y = nullptr;
  float* z = nullptr;
  Index size = 0;

  bool operator==(const Vec3Column&) const = default;  ///< the same memory, not the same content
  TALUS_INLINE Vec3 operator[](Index row) const {
    TALUS_ASSERT(row >= 0 && row < size);
    return {x[row], y[row], z[row]};
  }
  TALUS_INLINE void set(Index row, Vec3 v) const {
    TALUS_ASSERT(row >= 0 && row < size);
    x[row] = v.x;
    y[row] = v.y;
    z[row] = v.z;
  }
};

/// A row of quaternions, stored as x[], y[], z[], w[].
struct QuatColumn {
  float* x = nullptr;
  float* y = nullptr;
  float* z = nullptr;
  float* w = nullptr;
  Index size = 0;

  bool operator==(const QuatColumn&) const = default;  ///< the same memory, not the same content
  TALUS_INLINE Quat operator[](Index row) const {
    TALUS_ASSERT(row >= 0 && row < size);
    return {x[row], y[row], z[row], w[row]};
  }
  TALUS_INLINE void set(Index row, Quat q) const {
    TALUS_ASSERT(row >= 0 && row < size);
    x[row] = q.x;
    y[row] = q.y;
    z[row] = q.z;
    w[row] = q.w;
  }
};

}  // namespace talus
