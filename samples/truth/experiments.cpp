// SPDX-License-Identifier: MIT
// Experiments with a known outcome, by subject. Their sources: textbooks where no other is named; the test scenes of
// Vondrak, "Dynamics of Vertebrata" (2005), the benchmark scenes of Bender, Erleben, Trinkle, Coumans, "Interactive
// Simulation of Rigid Body Dynamics in Computer Graphics" (2014, section 7.3), the scenes of Andrews, Erleben,
// Ferguson, "Contact and Friction Simulation for Computer Graphics" (2022), and of Erleben, "Velocity-based shock
// propagation" (2007).
#include "truth/experiment.h"

namespace talus::truth {

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const std::span<const Row> group :
       {friction_rows(), roller_rows(),  impact_law_rows(), material_rows(), overlap_rows(), free_motion_rows(),
        energy_rows(),   tower_rows(),   heavy_rows(),      tunnel_rows(),   passing_rows(), seam_rows(),
        kink_rows(),     sleep_rows(),   motion_rows(),     joint_rows(),    top_rows(),     mechanism_rows(),
        rolling_rows(),  balance_rows(), impact_rows(),     stack_rows(),    grain_rows()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace talus::truth
