// SPDX-License-Identifier: MIT
#include "verify_page.h"

#include <algorithm>
#include <cmath>

#include "table.h"

namespace talus::cli {
namespace {

constexpr const char* kIntroduction =
    R"(# What is true of talus, and how nearly

This page is written by a program, `talus verify`. It takes laws of mechanics and experiments whose outcome is known, runs
them with every solver of talus, and writes down how far each one is from the truth, also where that is far.

**How to read it.** A *law* is a statement that has to hold for any body, speed and place in a stated range: it is tried on
random parameters, and the worst trial counts. An *experiment* is one set-up with a known outcome: a closed form that can be
looked up in a textbook, or a reference that the program computes in double precision with small steps. The *error* is the
distance from that outcome in the unit of the row. The *bound* is the largest error that the tests allow: they fail if a
change of the code makes an error larger. Some bounds are what a law asks for, others two to three times what was
measured with all trials: no promise of accuracy but a guard of what is there; the errors are what you get. Steps are 1/60 s
unless the row says otherwise.

**How to repeat it.** On any machine, with the same numbers (talus computes the same bits everywhere):

    talus verify                          # as below, a few minutes on one core
    talus verify --only RockingTime       # one row; a group's name takes the group
    talus verify --long                   # all random trials, fifty times as many; hours
    talus verify --write docs/truth.md    # writes this page

The same rows are tests (`ctest -L truth`); `TALUS_LONG_TESTS=1` makes them take all trials. The code of every row is in
[samples/truth](../samples/truth), a function each.

**The solvers** are those that a user can choose, with these settings (`SolverSettings`, [solvers.md](solvers.md)):

| name | what it is |
|---|---|
| default | soft contacts in 4 sub-steps, projected Gauss-Seidel: what you get if you choose nothing |
| jacobi | the same by Jacobi sweeps |
| projection | the default with rigid contacts, and positions projected out of penetration |
| rigid | rigid contacts over the whole step, 50 sweeps of Gauss-Seidel, one row after another |
| rigid_block | the same, each contact point solved exactly in its turn |
| rigid_nncg | the same with conjugate gradients around the sweeps |
| shock | shock propagation: layer after layer from the ground up, 10 sweeps each |

An error **in brackets** belongs to a solver for which the row is not claimed: it is measured and shown, and the text says
why it does not hold. An error marked **!** breaks its bound; there should be none on this page.
)";

constexpr const char* kSources =
    R"(
## Where the experiments come from

The documents that talus was built from name scenes to try a simulator with. This is where each of them is.

Vondrák, *Dynamics of Vertebrata* (2005), tests of chapter 9:

| test | here |
|---|---|
| group merging | MeetingBoxes |
| simultaneous impacts | FlatDrop |
| contact stabilisation | OverlappingStack |
| critical contacts | CrushedCube |
| friction | DraggedDesk |
| hinge, universal, ball and socket, slider, motor, limited spring | PendulumSmall, CardanShaft, TopPrecession, SpringPeriod; every axis and drive: tests/analytic/joint_axes_test.cpp |
| chain | Chain32, ChainCracksLikeAWhip |
| articulated structure | ArticulatedTree, StiffTree |
| integration precision (carousel) | CarouselOpening, CarouselEnergy |
| joint cycles | Parallelogram; tests/analytic/joint_loops_test.cpp |
| falling objects | PoolDepth, PoolRest |
| vehicle, figures | tests/piles/figures_test.cpp, samples/vehicle.cpp, samples/ragdolls.cpp |
| self-tests of algebra, collision and solvers | tests/unit, tests/lab |

Bender, Erleben, Trinkle, Coumans, *Interactive Simulation of Rigid Body Dynamics in Computer Graphics* (2014), section 7.3:

| benchmark | here |
|---|---|
| large pile | PoolDepth; [performance.md](performance.md) |
| box tower, structured stack | TowerForces, BoxStack25, Wall200 |
| card house | CardHouse |
| stone arch | LogPile, RowOfBooks; see below |
| dominoes | DominoSpeed |
| block on an inclined plane | SlidingBlock, HoldingBlock, FrictionAngle |
| see-saw | SeeSaw |
| Newton's cradle | CradleTouching, CradleParted |
| billiard rack, designed jam | BreakShot, Nutcracker |
| wedged bodies, illegal start | CrushedCube, OverlappingStack |
| heavy box on light box | HeavyOnLight |
| ball and chain | BallAndChain, WreckingBall |
| box down a curved slope | LeavesSlipperyBall, LeavesRoughBall |
| spinning free bodies | MiddleAxisFlips, FeynmansPlate |
| bouncing body | BounceHeight, LastBounce |
| tippe top, rattleback | TippeTop, RattlebackReverses, RattlebackSpinsOn |
| vehicle, gears | samples/vehicle.cpp, tests/analytic/joints_test.cpp |

Andrews, Erleben, Ferguson, *Contact and Friction Simulation for Computer Graphics* (2022): SlidingBlock, BowlingBall,
RockingTime, Nutcracker, HopperExponent; its reference problems for solvers are in tests/lab. Erleben, *Velocity-based shock
propagation* (2007): BoxStack25, Wall200, and tests/piles/shock_test.cpp.
)";

constexpr const char* kNotTried =
    R"(
## What is not here

- *Rolling coin, Euler's disk*: they need a cylinder or a disk.
- *Masonry arch of wedge-shaped stones* and its least thickness (0.1075 of the radius for a half circle): it needs convex
  hulls. Three logs and a row of books, above, are the arches that there are.
- *Air, fluids, deformation, waves in solids*: talus' bodies are rigid and move in a vacuum.
- Solver times and convergence: [performance.md](performance.md), [lab.md](lab.md).
)";

std::string cell_text(const Verified& verified, std::size_t variant, const std::string& text) {
  if (!truth::claims(verified.row, truth::variants()[variant])) return "(" + text + ")";
  return broken(verified, variant) ? text + " **!**" : text;
}

std::string table_head(const std::string& first, const std::string& second) {
  std::string head = "\n| " + first + " | " + second + " |", rule = "\n|---|---|";
  for (const truth::Variant& variant : truth::variants()) {
    head += std::string(" ") + variant.name + " |";
    rule += "---|";
  }
  return head + rule + "\n";
}

// Bounds are the same for all variants, or named where they differ.
std::string bound_text(const truth::Row& row) {
  const std::string unit = row.unit;
  std::string text = short_number(row.bound) + (unit == "1" ? "" : " " + unit);
  const std::string others = row.bounds;
  if (others.empty()) return text;
  text += " (";
  for (const char c : others) text += c == ' ' ? std::string(", ") : std::string(1, c == '=' ? ' ' : c);
  return text + ")";
}

std::string describe(const Verified& verified, double part) {
  const truth::Row& row = verified.row;
  std::string text = "- **" + std::string(row.name) + "**: " + row.statement;
  if (*row.reference != '\0') text += " *Reference:* " + std::string(row.reference) + ".";
  text += " *Bound:* " + bound_text(row) + ".";
  const int trials = truth::trials_of(row, part);
  if (row.trials > 1) {
    text.append(" ").append(std::to_string(trials)).append(" of ").append(std::to_string(row.trials));
    text.append(" random trials.");
  }
  if (*row.not_for != '\0') {
    std::string names = row.not_for;
    for (std::size_t at = names.find(' '); at != std::string::npos; at = names.find(' ', at + 2)) {
      names.replace(at, 1, ", ");
    }
    text += " *Not for* " + names + ": " + row.why_not;
  }
  return text + "\n";
}

bool compares(const Verified& verified) {
  return std::any_of(verified.worst.begin(), verified.worst.end(),
                     [](const truth::Worst& worst) { return !std::isnan(worst.expected); });
}

void add_cell(std::string& text, const std::string& cell) {
  text.append("| ").append(cell).append(" ");
}

std::string errors_of(const std::vector<const Verified*>& rows) {
  std::string text = table_head("error of", "unit");
  for (const Verified* verified : rows) {
    add_cell(text, verified->row.name);
    add_cell(text, verified->row.unit);
    for (std::size_t i = 0; i < verified->worst.size(); ++i) {
      add_cell(text, cell_text(*verified, i, short_number(verified->worst[i].error)));
    }
    text.append("|\n");
  }
  return text;
}

// The outcome itself, where an experiment has one number. What is expected may depend on the solver's own scheme; it is
// then that of the default.
std::string values_of(const std::vector<const Verified*>& rows) {
  if (std::none_of(rows.begin(), rows.end(), [](const Verified* verified) { return compares(*verified); })) return "";
  std::string text = "\nWhat was measured, where it is one number:\n" + table_head("measured", "expected");
  for (const Verified* verified : rows) {
    if (!compares(*verified)) continue;
    add_cell(text, verified->row.name);
    add_cell(text, general(verified->worst[0].expected, 5));
    for (const truth::Worst& worst : verified->worst) add_cell(text, general(worst.measured, 5));
    text.append("|\n");
  }
  return text;
}

std::string group_of(const std::vector<const Verified*>& rows, double part) {
  std::string text = "\n## " + std::string(rows[0]->row.group) + "\n\n";
  for (const Verified* verified : rows) text += describe(*verified, part);
  return text + errors_of(rows) + values_of(rows);
}

std::string summary(const std::vector<Verified>& rows, double part, std::uint64_t seed) {
  int checked = 0, held = 0, unclaimed = 0;
  for (const Verified& verified : rows) {
    for (std::size_t i = 0; i < verified.worst.size(); ++i) {
      const bool claimed = truth::claims(verified.row, truth::variants()[i]);
      checked += claimed ? 1 : 0;
      unclaimed += claimed ? 0 : 1;
      held += claimed && !broken(verified, i) ? 1 : 0;
    }
  }
  std::string text = "\n";
  text += std::to_string(rows.size()) + " laws and experiments with " + std::to_string(truth::variants().size());
  text += " solvers: " + std::to_string(held) + " of " + std::to_string(checked) + " bounds hold; ";
  text += std::to_string(unclaimed) + " combinations are not claimed. This page was written with " + general(part, 3);
  return text + " of the random trials, seed " + std::to_string(seed) + ".\n";
}

}  // namespace

bool broken(const Verified& verified, std::size_t variant) {
  const truth::Variant& which = truth::variants()[variant];
  return truth::claims(verified.row, which) && !(verified.worst[variant].error <= truth::bound_of(verified.row, which));
}

std::string short_number(double value) {
  return general(value, 2);
}

std::string truth_page(const std::vector<Verified>& rows, double part, std::uint64_t seed) {
  std::string text = kIntroduction + summary(rows, part, seed);
  std::vector<std::string> groups;  // in the order of their first rows
  for (const Verified& verified : rows) {
    if (std::find(groups.begin(), groups.end(), verified.row.group) == groups.end()) {
      groups.emplace_back(verified.row.group);
    }
  }
  for (const std::string& group : groups) {
    std::vector<const Verified*> members;
    for (const Verified& verified : rows) {
      if (verified.row.group == group) members.push_back(&verified);
    }
    text += group_of(members, part);
  }
  return text + kSources + kNotTried;
}

}  // namespace talus::cli
