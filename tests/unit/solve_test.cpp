// SPDX-License-Identifier: MIT
// The rows of a contact, one sweep at a time, against closed forms; and packs against floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "unit/contact_rig.h"

namespace talus::test {
namespace {

constexpr float kDt = 1.0f / 60.0f;

WorldDef one_substep() {
  WorldDef def;
  def.solver.substeps = 1;
  return def;
}
BodyDef fixed_ground() {
  return {.shape = box({10.0f, 1.0f, 10.0f}), .motion = Motion::fixed, .position = {0.0f, -1.0f, 0.0f}};
}
BodyDef ball(Vec3 velocity, float mass = 2.0f) {
  return {.shape = sphere(0.5f), .mass = mass, .position = {0.0f, 0.5f, 0.0f}, .linear_velocity = velocity};
}
const RigContact kBelow{.a = 0, .b = 1, .points = {{0.0f, 0.0f, 0.0f}}};

TEST(Solve, RelaxStopsAnApproachAndLeavesASeparationAlone) {
  ContactRig closing({fixed_ground(), ball({0.0f, -3.0f, 0.0f})}, {kBelow}, one_substep(), kDt);
  closing.sweep<Sweep::relax>();
  EXPECT_NEAR(closing.velocity(1).linear.y, 0.0f, 1e-6f);
  EXPECT_EQ(closing.impulse(0, 0), 0.0f);  // an impact leaves no load
  EXPECT_NEAR(closing.lanes().number(row::at(0, row::impact), closing.lane_of(0)), 6.0f, 1e-5f);
  EXPECT_NEAR(closing.free_velocity(1).linear.y, 0.0f, 1e-6f);
  ContactRig opening({fixed_ground(), ball({0.0f, 3.0f, 0.0f})}, {kBelow}, one_substep(), kDt);
  opening.sweep<Sweep::relax>();
  EXPECT_EQ(opening.velocity(1).linear.y, 3.0f);
  EXPECT_EQ(opening.impulse(0, 0), 0.0f);
}

TEST(Solve, AGapMayCloseWithinTheSubstepButNotBeyond) {
  RigContact gap = kBelow;
  gap.separation = 0.01f;
  ContactRig rig({fixed_ground(), ball({0.0f, -3.0f, 0.0f})}, {gap}, one_substep(), kDt);
  rig.sweep<Sweep::biased>();
  EXPECT_NEAR(rig.velocity(1).linear.y, -0.01f * 60.0f, 1e-5f);
}

TEST(Solve, ABiasedSweepIsTheImplicitSpring) {
  RigContact deep = kBelow;
  deep.separation = -0.01f;
  ContactRig rig({fixed_ground(), ball({0.0f, -0.2f, 0.0f})}, {deep}, one_substep(), kDt);
  const double h = 1.0 / 60, zeta = 4;
  const double omega = 2 * 3.14159265358979 * 2 * 12.3;  // twice 0.205 of the rate, on the ground
  const double expected = (-0.2 + h * omega * omega * 0.01) / (1 + 2 * zeta * omega * h + h * h * omega * omega);
  rig.sweep<Sweep::biased>();
  EXPECT_NEAR(double(rig.velocity(1).linear.y), expected, 1e-5);
}

TEST(Solve, ADeepPenetrationIsPushedOutAtMostAtTheGivenSpeed) {
  RigContact deep = kBelow;
  deep.separation = -2.0f;
  ContactRig rig({fixed_ground(), ball({0.0f, 0.0f, 0.0f})}, {deep}, one_substep(), kDt);
  for (int i = 0; i < 50; ++i) rig.sweep<Sweep::biased>();
  EXPECT_LE(rig.velocity(1).linear.y, 3.0f);
  EXPECT_GT(rig.velocity(1).linear.y, 1.0f);
}

TEST(Solve, WarmStartAppliesTheCarriedImpulse) {
  RigContact carried = kBelow;
  carried.impulse = 4.0f;
  ContactRig rig({fixed_ground(), ball({0.0f, 0.0f, 0.0f})}, {carried}, one_substep(), kDt);
  rig.sweep<Sweep::warm_start>();
  EXPECT_NEAR(rig.velocity(1).linear.y, 2.0f, 1e-6f);
  EXPECT_EQ(rig.velocity(0).linear.y, 0.0f);
}

TEST(Solve, BounceGivesTheApproachSpeedBack) {
  std::vector<BodyDef> bodies{fixed_ground(), ball({0.0f, -3.0f, 0.0f})};
  bodies[1].material.restitution = 0.5f;
  ContactRig rig(bodies, {kBelow}, one_substep(), kDt);
  rig.sweep<Sweep::bounce>();  // nothing pushed yet: nothing bounces, but the approach stops
  EXPECT_NEAR(rig.velocity(1).linear.y, 0.0f, 1e-5f);
  ContactRig pushed(bodies, {kBelow}, one_substep(), kDt);
  pushed.sweep<Sweep::relax>();
  pushed.sweep<Sweep::bounce>();
  EXPECT_NEAR(pushed.velocity(1).linear.y, 1.5f, 1e-5f);
}

/// [N s] Friction after a relaxing sweep on a body that slides and presses.
Vec3 friction_after_slide(const BodyDef& body) {
  RigContact pressed = kBelow;
  pressed.impulse = 4.0f;  // so the limit is 0.5 x 4
  ContactRig rig({fixed_ground(), body}, {pressed}, one_substep(), kDt);
  const SolverRows rows = rig.lanes();
  const Index lane = rig.lane_of(0);
  rows.set(row::load, lane, 4.0f);  // as a biased sweep would: it is no impact
  rig.sweep<Sweep::relax>();
  const Vec3 t1 = rows.vector(row::tangent, lane), t2 = cross(rows.vector(row::normal, lane), t1);
  return rows.number(row::friction_impulse, lane) * t1 + rows.number(row::friction_impulse + 1, lane) * t2;
}

TEST(Solve, FrictionIsLimitedByAConeAndOpposesTheSlip) {
  const Vec3 slow = friction_after_slide(ball({0.1f, 0.0f, 0.0f}));
  EXPECT_NEAR(slow.x, -0.1f * 2.0f / 3.5f, 1e-5f);  // sticks: the effective mass of a ball's surface is 2/7 of its mass
  for (const float angle : {0.0f, 0.3f, 0.785f, 2.5f}) {
    const Vec3 slip{5.0f * std::cos(angle), 0.0f, 5.0f * std::sin(angle)};
    const Vec3 f = friction_after_slide(ball(slip));
    EXPECT_NEAR(length(f), 2.0f, 1e-5f);
    EXPECT_NEAR(dot(f, slip), -10.0f, 1e-4f);
    BodyDef brick = ball(4.0f * slip);  // three times as hard to push along one tangent
    brick.inertia = Vec3{0.2f, 0.2f, 0.05f};
    const Vec3 against = friction_after_slide(brick);
    EXPECT_NEAR(length(against), 2.0f, 1e-5f);
    EXPECT_NEAR(dot(against, slip), -10.0f, 1e-4f);
  }
}

// ---- random contacts -----------------------------------------------------------------------------------------------

struct Heap {
  std::vector<BodyDef> bodies;
  std::vector<RigContact> contacts;
};
/// Boxes that move anyhow, with contacts anywhere near them: nothing of it fits, all of it must be solved.
Heap random_heap(std::uint32_t seed, int body_count, int contact_count) {
  std::mt19937 engine(seed);
  const auto between = [&](float low, float high) { return low + (high - low) * float(engine() >> 8) * 0x1p-24f; };
  const auto vector = [&](float size) {
    const float x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return Vec3{x, y, z};
  };
  Heap heap;
  for (int i = 0; i < body_count; ++i) {
    BodyDef d{.shape = box({between(0.2f, 1.0f), between(0.2f, 1.0f), between(0.2f, 1.0f)})};
    d.density = between(100.0f, 2000.0f);
    d.position = vector(2.0f);
    const Quat q{between(-1.0f, 1.0f), between(-1.0f, 1.0f), between(-1.0f, 1.0f), 1.0f};
    d.orientation = normalized(q);
    d.linear_velocity = vector(2.0f);
    d.angular_velocity = vector(3.0f);
    d.material.restitution = i % 3 == 0 ? 0.5f : 0.0f;
    if (i % 10 == 9) d.motion = Motion::kinematic;
    heap.bodies.push_back(d);
  }
  for (int i = 0; i < contact_count; ++i) {
    RigContact c;
    c.a = Index(engine() % std::uint32_t(body_count));
    c.b = Index((std::uint32_t(c.a) + 1 + engine() % std::uint32_t(body_count - 1)) % std::uint32_t(body_count));
    if (heap.bodies[std::size_t(c.a)].motion && heap.bodies[std::size_t(c.b)].motion) continue;
    c.normal = normalized_or(vector(1.0f), {0.0f, 1.0f, 0.0f});
    const Vec3 middle = 0.5f * (heap.bodies[std::size_t(c.a)].position + heap.bodies[std::size_t(c.b)].position);
    for (std::uint32_t p = engine() % 4 + 1; p > 0; --p) c.points.push_back(middle + vector(0.5f));
    c.separation = between(-0.02f, 0.02f);
    c.impulse = between(0.0f, 20.0f);
    heap.contacts.push_back(c);
  }
  return heap;
}

/// What the impulses in the rows of the only contact add to the two bodies: velocities, and angular ones in scaled
/// axes.
struct Effect {
  Vec3 linear[2] = {}, angular[2] = {};
};
Effect effect_of_rows(const ContactRig& rig) {
  const SolverRows rows = rig.lanes();
  const Index lane = rig.lane_of(0);
  const Vec3 normal = rows.vector(row::normal, lane), t1 = rows.vector(row::tangent, lane), t2 = cross(normal, t1);
  Effect effect;
  const auto add = [&](float impulse, Vec3 direction, int lever_a, int lever_b) {
    for (int body = 0; body < 2; ++body) {
      const float p = body == 0 ? -impulse : impulse, inv_mass = rig.velocity(body).inv_mass;
      if (!(inv_mass > 0.0f)) continue;
      effect.linear[body] = effect.linear[body] + (p * inv_mass) * direction;
      effect.angular[body] = effect.angular[body] + p * rows.vector(body == 0 ? lever_a : lever_b, lane);
    }
  };
  for (int i = 0; i < int(rows.number(row::count, lane)); ++i) {
    add(rows.number(row::at(i, row::impulse), lane), normal, row::at(i, row::lever_a), row::at(i, row::lever_b));
  }
  add(rows.number(row::friction_impulse, lane), t1, row::friction_a1, row::friction_b1);
  add(rows.number(row::friction_impulse + 1, lane), t2, row::friction_a2, row::friction_b2);
  add(rows.number(row::twist_impulse, lane), {}, row::twist_a, row::twist_b);
  return effect;
}

// A sub-step starts from velocities that have what the rows say, and sweeps take back what the rows have too much: if
// the two differ, energy comes from nowhere. Points of different gaps, and impacts, which rows pass on to free
// velocities.
TEST(Solve, BodiesHaveWhatTheRowsSay) {
  int impacts = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Heap heap = random_heap(seed, 2, 1);
    RigContact& c = heap.contacts.at(0);
    std::mt19937 engine(seed);
    c.a = 0;
    c.b = 1;
    c.impulse = 0.0f;
    for (BodyDef& body : heap.bodies) body.linear_velocity = 4.0f * body.linear_velocity;
    for (std::size_t i = 0; i < c.points.size(); ++i) c.separations.push_back(float(engine() >> 8) * 0x1p-24f * 0.02f);
    ContactRig rig(heap.bodies, heap.contacts, WorldDef{}, kDt);
    for (int sweep = 0; sweep < 2; ++sweep) {
      if (sweep == 0) rig.sweep<Sweep::biased>();
      if (sweep == 1) rig.sweep<Sweep::relax>();
      const Effect effect = effect_of_rows(rig);
      for (Index body = 0; body < 2; ++body) {
        const BodyVelocity now = rig.velocity(body), free = rig.free_velocity(body);
        EXPECT_LT(length(now.linear - free.linear - effect.linear[body]), 1e-4f) << "sweep " << sweep;
        EXPECT_LT(length(now.angular - free.angular - effect.angular[body]), 1e-4f * (1.0f + length(now.angular)))
            << "sweep " << sweep;
      }
    }
    impacts += rig.lanes().number(row::at(0, row::impact), rig.lane_of(0)) > 0.0f ? 1 : 0;
  }
  EXPECT_GT(impacts, 10);
}

template <class Real>
void run_all_sweeps(ContactRig& rig) {
  rig.sweep<Sweep::warm_start, Real>();
  rig.sweep<Sweep::biased, Real>();
  rig.sweep<Sweep::relax, Real>();
  rig.sweep<Sweep::biased, Real>();
  rig.sweep<Sweep::relax, Real>();
  rig.sweep<Sweep::bounce, Real>();
}

TEST(Solve, PacksGiveTheBitsOfFloats) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Heap heap = random_heap(seed, 60, 150);
    ContactRig floats(heap.bodies, heap.contacts, {}, kDt), packs(heap.bodies, heap.contacts, {}, kDt);
    run_all_sweeps<float>(floats);
    run_all_sweeps<NativePack>(packs);
    for (Index body = 0; body < floats.rows(); ++body) {
      const BodyVelocity a = floats.velocity(body), b = packs.velocity(body);
      ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0) << "body " << body;
    }
    float slim = 0.0f;  // some are: solve_tilts has been at it
    for (Index lane = 0; lane < floats.counters().lanes; ++lane) {
      slim = std::max(slim, floats.lanes().number(row::slim, lane));
    }
    EXPECT_GT(slim, 0.0f);
    for (Index lane = 0; lane < floats.counters().lanes; ++lane) {
      const int count = int(floats.lanes().number(row::count, lane));
      ASSERT_EQ(count, int(packs.lanes().number(row::count, lane)));
      const int fields = count > 0 ? row::at(count, 0) : 0;  // of padding nothing else is said
      for (int field = 0; field < fields; ++field) {
        ASSERT_EQ(floats.lanes().word(field, lane), packs.lanes().word(field, lane)) << "lane " << lane;
      }
    }
  }
}

TEST(Solve, SweepsKeepTheMomentumOfFreeBodies) {
  for (const Solver solver : {Solver::gauss_seidel, Solver::jacobi}) {
    Heap heap = random_heap(7, 20, 40);
    for (BodyDef& d : heap.bodies) d.motion.reset();
    WorldDef def;
    def.solver.solver = solver;
    ContactRig rig(heap.bodies, heap.contacts, def, kDt);
    const auto momentum = [&](double out[3]) {
      double scale = 0;
      for (Index body = 0; body < rig.rows(); ++body) {
        const BodyVelocity v = rig.velocity(body);
        const double mass = 1 / double(v.inv_mass);
        out[0] += mass * double(v.linear.x);
        out[1] += mass * double(v.linear.y);
        out[2] += mass * double(v.linear.z);
        scale += mass * double(length(v.linear));
      }
      return scale;
    };
    double before[3] = {}, after[3] = {};
    const double scale = momentum(before);
    run_all_sweeps<float>(rig);
    momentum(after);
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(after[axis], before[axis], 1e-5 * scale);
  }
}

/// [m/s] Largest violation of: impulse >= 0, speed >= 0, one of them zero.
double residual(const ContactRig& rig, const Heap& heap) {
  double worst = 0;
  for (Index c = 0; c < Index(heap.contacts.size()); ++c) {
    const Index lane = rig.lane_of(c);
    const SolverRows rows = rig.lanes();
    const BodyVelocity a = rig.velocity(heap.contacts[std::size_t(c)].a),
                       b = rig.velocity(heap.contacts[std::size_t(c)].b);
    for (int p = 0; p < int(rows.number(row::count, lane)); ++p) {
      const float speed = dot(rows.vector(row::normal, lane), b.linear - a.linear) +
                          dot(rows.vector(row::at(p, row::lever_b), lane), b.angular) -
                          dot(rows.vector(row::at(p, row::lever_a), lane), a.angular);
      const float impulse = rows.number(row::at(p, row::impulse), lane);
      EXPECT_GE(impulse, 0.0f);
      worst = std::max(worst, double(std::fabs(std::min(speed, impulse))));
    }
  }
  return worst;
}

TEST(Solve, SweepsConvergeToComplementarity) {
  for (const Solver solver : {Solver::gauss_seidel, Solver::jacobi}) {
    Heap heap = random_heap(9, 30, 35);
    for (RigContact& c : heap.contacts) {
      c.separation = 0.0f;
      c.impulse = 0.0f;
    }
    for (BodyDef& d : heap.bodies) {
      d.motion.reset();  // moving walls could ask for the impossible
      d.material.friction = 0.0f;
    }
    WorldDef def;
    def.solver.solver = solver;
    ContactRig rig(heap.bodies, heap.contacts, def, kDt);
    const double start = residual(rig, heap);
    for (int i = 0; i < 2000; ++i) rig.sweep<Sweep::relax>();
    EXPECT_GT(start, 0.5);
    EXPECT_LT(residual(rig, heap), 5e-3);
  }
}

// ---- soft constraints ----------------------------------------------------------------------------------------------

TEST(Softness, AStepIsImplicitEulerOfADampedSpring) {
  for (const double hertz : {1.0, 10.0, 40.0}) {
    for (const double zeta : {0.5, 1.0, 5.0}) {
      const double h = 1.0 / 240, omega = 2 * 3.14159265358979 * hertz;
      const Softness s = make_softness(float(hertz), float(zeta), float(h));
      double x = 0.1, v = -0.3, y = 0.1, w = -0.3;
      for (int i = 0; i < 100; ++i) {
        v -= double(s.mass_scale) * (v + double(s.bias_rate) * x);  // one row, its impulse from zero, unit mass
        x += h * v;
        w = (w - h * omega * omega * y) / (1 + 2 * zeta * omega * h + h * h * omega * omega);
        y += h * w;
      }
      EXPECT_NEAR(x, y, 1e-5);
      EXPECT_NEAR(v, w, 1e-4);
    }
  }
}

TEST(Softness, ACriticallyDampedSpringComesBackAsTheClosedForm) {
  const double hertz = 1.0, omega = 2 * 3.14159265358979 * hertz, h = 1e-3;
  const Softness s = make_softness(float(hertz), 1.0f, float(h));
  double x = 0.1, v = 0;
  for (int i = 0; i < 500; ++i) {
    v -= double(s.mass_scale) * (v + double(s.bias_rate) * x);
    x += h * v;
    const double t = (i + 1) * h;
    EXPECT_NEAR(x, 0.1 * (1 + omega * t) * std::exp(-omega * t), 0.1 * omega * h);
  }
}

TEST(Softness, AnAccumulatedImpulseLeaksSoThatARepeatedSweepChangesNothing) {
  const Softness s = make_softness(30.0f, 5.0f, 1.0f / 240.0f);
  EXPECT_NEAR(s.mass_scale + s.impulse_scale, 1.0f, 1e-6f);
  float v = -1.0f, impulse = 0.0f;
  const float x = -0.01f;
  for (int i = 0; i < 2; ++i) {
    const float change = -s.mass_scale * (v + s.bias_rate * x) - s.impulse_scale * impulse;
    EXPECT_NEAR(i > 0 ? change : 0.0f, 0.0f, 1e-6f);
    impulse += change;
    v += change;
  }
}

TEST(Softness, StepParamsLimitTheFrequencyToAPartOfTheSubstepRate) {
  WorldDef def;
  def.solver.substeps = 2;  // 120 sub-steps a second: 24.6 Hz
  const StepParams p = make_step_params(def, 1.0f / 60.0f);
  const Softness limited = make_softness(24.6f, 4.0f, 1.0f / 120.0f), twice = make_softness(49.2f, 4.0f, 1.0f / 120.0f);
  EXPECT_NEAR(p.contact.bias_rate, limited.bias_rate, 1e-3f);
  EXPECT_NEAR(p.ground.bias_rate, twice.bias_rate, 1e-3f);
  EXPECT_NEAR(p.h * p.inv_h, 1.0f, 1e-6f);
}

}  // namespace
}  // namespace talus::test
