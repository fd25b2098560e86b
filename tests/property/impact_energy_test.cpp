// SPDX-License-Identifier: MIT
// No impact gains energy, with any restitution, friction, orientation and spin.
#include <algorithm>
#include <vector>

#include "analytic/rig.h"
#include "truth/truth.h"

namespace talus::test {
namespace {

class ImpactEnergy : public BackendTest {};
TALUS_INSTANTIATE_ON_CPU(ImpactEnergy);  // thousands of steps; tests of agreement compare the backends

/// A body and its mass properties, which do not change.
struct Tracked {
  BodyId id;
  double mass;
  Vecd inertia;
};

/// [J] Kinetic, and potential for a gravity.
double energy(World& world, const Tracked& body, double gravity) {
  const BodyMotion m = world.motion(body.id);
  const Vecd v = vec(m.linear_velocity);
  const Vecd w = scenes::rotate_back(scenes::rotation<double>(m.pose.orientation), vec(m.angular_velocity));
  const Vecd i = body.inertia;
  return 0.5 * (body.mass * dot(v, v) + i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z) +
         body.mass * gravity * double(m.pose.position.y);
}

struct Scatter {
  float restitution;
  bool friction;
  float spin;    // [rad/s] at most, about each axis
  bool on_pair;  // two boxes in space, else one that falls on the ground
};

/// What two or one boxes do.
struct Impacts {
  World world;
  std::vector<std::vector<Tracked>> groups;

  Impacts(const WorldDef& def, const Scatter& s, int count, std::uint32_t seed) : world(def) {
    Random random(seed);
    if (!s.on_pair) {
      world.add_body(
          {.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 1.0f, .friction_combine = Combine::multiply}});
    }
    for (int i = 0; i < count; ++i) {
      const Vec3 place{24.0f * float(i % 10), 1.2f, 24.0f * float(i / 10)};  // nobody meets others
      const Material material{.friction = s.friction ? random.between(0.0f, 1.5f) : 0.0f, .restitution = s.restitution};
      const auto add = [&](Vec3 at, Vec3 velocity) {
        const float x = random.between(0.15f, 0.5f), y = random.between(0.15f, 0.5f), z = random.between(0.15f, 0.5f);
        const bool flat = random.below(4) == 0;  // lands on a face, with small gaps that differ
        const Vec3 axis = random.direction();
        const Quat any = random.rotation();
        const BodyId id = world.add_body({.shape = box({x, y, z}),
                                          .position = at,
                                          .orientation = flat ? turn(axis, double(random.between(0.0f, 0.05f))) : any,
                                          .linear_velocity = velocity,
                                          .angular_velocity = random.in_box(s.spin),
                                          .material = material});
        const BodyDef d = world.definition(id);
        groups.back().push_back({id, double(*d.mass), vec(*d.inertia)});
      };
      groups.emplace_back();
      const float aside_x = random.between(-2.0f, 2.0f), aside_z = random.between(-2.0f, 2.0f);
      add(place, {aside_x, -random.between(s.on_pair ? 2.0f : 0.5f, 8.0f), aside_z});
      if (s.on_pair) {
        const float shift = random.between(-0.3f, 0.3f);
        add({place.x + shift, -0.2f, place.z}, {0.0f, random.between(-1.0f, 2.0f), 0.0f});
      }
    }
  }
};

/// [1] What the energy of an impact may rise by, of the first kinetic energy: for levers that stay while bodies turn
/// within a step, by up to 1.7 rad.
double allowed_part(const truth::Variant& variant, float spin) {
  const SolverSettings& s = variant.settings;
  if (s.rigid.nncg && spin > 30.0f) return 0.06;  // sweeps end before such impacts have converged
  if (s.solver == Solver::shock && spin > 30.0f) return 0.04;
  if (s.solver == Solver::jacobi) return 0.016;
  const bool projects = s.solver == Solver::gauss_seidel && s.stabilization == Stabilization::projection;
  return spin > 10.0f || projects ? 0.012 : 0.004;
}

/// Steps through the impacts. The smallest energy so far is the bound: no later step may get beyond it by more than
/// allowed_part() and 5 mm of height, as soft contacts lift bodies out of the ground that sank into it.
void expect_no_rise(Impacts impacts, double gravity, double part) {
  const std::size_t count = impacts.groups.size();
  std::vector<double> first(count), least(count);
  std::vector<Vecd> start(count);
  const auto velocity = [&](std::size_t i) { return vec(impacts.world.linear_velocity(impacts.groups[i][0].id)); };
  for (int step = 0; step <= 60; ++step) {
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0, potential = 0, mass = 0;
      for (const Tracked& body : impacts.groups[i]) {
        sum += energy(impacts.world, body, gravity);
        potential += body.mass * gravity * double(impacts.world.position(body.id).y);
        mass += body.mass;
      }
      if (step == 0) {
        first[i] = sum - potential;
        least[i] = sum;
        start[i] = velocity(i);
      }
      EXPECT_LE(sum, least[i] + part * first[i] + 0.005 * mass * gravity) << "impact " << i << ", step " << step;
      least[i] = std::min(least[i], sum);
    }
    if (step < 60) impacts.world.step(kStep);
  }
  std::size_t hits = 0;
  for (std::size_t i = 0; i < count; ++i) hits += std::fabs(velocity(i).y - start[i].y + gravity) > 0.1 ? 1 : 0;
  EXPECT_GT(hits, count / 2);
}

TEST_P(ImpactEnergy, NeverRises) {
  for (const truth::Variant& variant : truth::variants()) {
    for (const RestitutionModel law : {RestitutionModel::newton, RestitutionModel::poisson}) {
      if (variant.settings.solver >= Solver::rigid && law == RestitutionModel::poisson) continue;  // an Error
      SolverSettings settings = variant.settings;
      settings.restitution = law;
      for (const bool on_pair : {false, true}) {
        WorldDef d = on_pair ? weightless(settings) : def(settings);
        d.sleep.enabled = false;
        for (const float restitution : {0.0f, 0.5f, 1.0f}) {
          for (const bool friction : {false, true}) {
            for (const float spin : {6.0f, 20.0f, 60.0f}) {
              SCOPED_TRACE(std::string(variant.name) + (law == RestitutionModel::newton ? ", newton" : ", poisson") +
                           (on_pair ? ", pair" : ", ground") + ", restitution " + std::to_string(restitution) +
                           (friction ? ", friction" : "") + ", spin " + std::to_string(spin));
              expect_no_rise(Impacts(d, {restitution, friction, spin, on_pair}, 60, 11), on_pair ? 0.0 : kGravity,
                             allowed_part(variant, spin));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace talus::test
