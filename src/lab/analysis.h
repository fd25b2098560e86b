// SPDX-License-Identifier: MIT
// Why a problem is hard: spectra of A and of the Gauss-Seidel iteration (S2-13). For small problems: cost is the cube
// of the rows.
#pragma once
#include <complex>

#include "problem.h"

namespace talus::lab {

struct Spectrum {
  Vector eigenvalues;                    ///< of A, ascending, of rows that something can move [1/kg]
  std::vector<std::complex<double>> gs;  ///< of T = -(D + L)^-1 U, the error of a sweep without bounds
  Index null_space = 0;                  ///< dim null(A): impulses that move nothing
  double condition = 1.0;                ///< largest over smallest eigenvalue outside the null space
  double gs_rate = 0.0;                  ///< largest |eigenvalue| of T but the ones: error per sweep, in the end
  double jacobi_limit = 0.0;             ///< jacobi diverges from this relaxation on: 2 / largest of D^-1 A

  Index gs_unit_count() const;  ///< eigenvalues of T that are 1: as many as the null space has dimensions
};

constexpr Index kSpectrumRows = 1500;  ///< more is refused: the cost is their cube
/// Throws Error for more than kSpectrumRows rows.
Spectrum spectrum(const Problem& problem);

}  // namespace talus::lab
