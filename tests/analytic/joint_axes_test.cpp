// SPDX-License-Identifier: MIT
// What acts along a free axis: motors, springs, servos, limits, dry friction; and joints that break.
#include <algorithm>
#include <cmath>

#include "analytic/joint_rig.h"

namespace talus::test {
namespace {

class JointAxes : public JointTest {
 protected:
  /// A body on a slider along the world's x axis, by one axis of its own.
  struct Sled {
    World world;
    BodyId body;
    JointId joint;
    Sled(const WorldDef& def, float mass, const AxisDef& axis, float speed = 0,
         const JointDef& settings = slider_joint({}, {}, {}, {1, 0, 0}))
        : world(def) {
      BodyDef d = brick({0, 0, 0}, mass);
      d.linear_velocity = {speed, 0, 0};
      body = world.add_body(d);
      JointDef slider = settings;
      slider.b = body;
      slider.axis(Axis::x) = axis;
      joint = world.add_joint(slider);
    }
    double x() { return along(world.reading(joint), Axis::x); }
    double v() { return rate(world.reading(joint), Axis::x); }
    double force() { return world.reading(joint).force.x; }
  };
  /// A wheel on a hinge about the world's z axis.
  struct Rotor {
    World world;
    BodyId body;
    JointId joint;
    Rotor(const WorldDef& def, float moment, const AxisDef& axis, float speed = 0) : world(def) {
      BodyDef d = wheel({0, 0, 0}, 1, moment);
      d.angular_velocity = {0, 0, speed};
      body = world.add_body(d);
      JointDef hinge = hinge_joint(kWorld, body, {0, 0, 0}, {0, 0, 1});
      hinge.axis(Axis::twist) = axis;
      joint = world.add_joint(hinge);
    }
    double angle() { return along(world.reading(joint), Axis::twist); }
    double speed() { return world.angular_velocity(body).z; }
    double torque() { return world.reading(joint).torque.z; }
  };
  static WorldDef pulled(float g) {
    WorldDef d = weightless();
    d.gravity = {g, 0, 0};
    return d;
  }
};
TALUS_INSTANTIATE_ON_CPU(JointAxes);

// ---- motors -----------------------------------------------------------------------------------------------------

// 2 kg m^2 at 5 N m: 2.5 rad/s^2, so 10 rad/s after 4 s.
TEST_P(JointAxes, WheelComesUpToSpeedAndHoldsIt) {
  Rotor r(weightless(), 2, motor(10, 5));
  double reached = 0;
  for (int step = 1; step <= 480; ++step) {
    r.world.step(kStep);
    if (reached == 0 && r.speed() > 9.999) reached = step / 60.0;
    if (step == 120) {
      EXPECT_NEAR(r.speed(), 5, 0.05);
      EXPECT_NEAR(r.torque(), 5, 0.05);
    }
  }
  note("reached", reached);
  note("speed", r.speed());
  EXPECT_NEAR(reached, 4.0, 0.04);
  EXPECT_NEAR(r.speed(), 10, 1e-3);
  EXPECT_NEAR(r.torque(), 0, 1e-2);
}

TEST_P(JointAxes, UnlimitedMotorHasItsSpeedAtOnce) {
  Sled s(pulled(-9.81f), 3, motor(0.5f));
  s.world.step_n(60, kStep);
  EXPECT_NEAR(s.v(), 0.5, 1e-5);
  EXPECT_NEAR(s.x(), 0.5, 1e-4);
  EXPECT_NEAR(s.force(), 3 * kGravity, 0.01 * 3 * kGravity);
}

// Against a wall a bounded motor stalls, and the wall feels what the motor has.
TEST_P(JointAxes, MotorStallsAtItsLimit) {
  WorldDef d = weightless();
  d.contact_reports = true;
  Sled s(d, 2, motor(1, 30));
  s.world.add_body({.shape = box({0.5f, 1, 1}), .motion = Motion::fixed, .position = {1.1f, 0, 0}});
  s.world.step_n(180, kStep);
  note("force", s.force());
  note("speed", s.v());
  EXPECT_NEAR(s.force(), 30, 0.3);
  EXPECT_LT(std::fabs(s.v()), 1e-3);
  EXPECT_NEAR(s.x(), 0.5, 5e-3);
  double impulse = 0;
  for (const ContactReport& contact : s.world.read_contacts()) {
    for (int i = 0; i < contact.point_count; ++i) impulse += contact.points[i].normal_impulse;
  }
  note("wall", impulse * 60);
  EXPECT_NEAR(impulse * 60, 30, 0.3);
}

// The limit has the last word, and there is no trembling.
TEST_P(JointAxes, MotorRestsAtItsOwnLimit) {
  for (const float torque : {20.0f, 1000.0f}) {
    AxisDef axis = motor(5, torque);
    axis.mode = AxisMode::limited;
    axis.lower = -2;
    axis.upper = 1;
    Rotor r(weightless(), 0.5f, axis);
    r.world.step_n(120, kStep);
    double fastest = 0, farthest = 0;
    for (int step = 0; step < 120; ++step) {
      r.world.step(kStep);
      fastest = std::max(fastest, std::fabs(r.speed()));
      farthest = std::max(farthest, std::fabs(r.angle() - 1));
    }
    note(std::string("speed") + std::to_string(int(torque)), fastest);
    note(std::string("miss") + std::to_string(int(torque)), farthest);
    EXPECT_LT(fastest, 1e-3);
    EXPECT_LT(farthest, 2e-3);
    EXPECT_NEAR(r.torque(), 0, 1e-2) << "motor and limit cancel";
  }
}

// ---- springs and servos -----------------------------------------------------------------------------------------

// Implicit Euler of sub-steps, v' = (v - h k x / m) / (1 + h c / m + h^2 k / m), x' = x + h v' (S3-68).
TEST_P(JointAxes, SpringIsImplicitEuler) {
  const double k = 50, c = 0.7, m = 1.3, h = kSubstep;
  AxisDef axis = spring(float(k), float(c), 1);
  Sled s(weightless(), float(m), axis);
  double x = -1, v = 0, worst = 0;  // from the target
  for (int step = 0; step < 60; ++step) {
    s.world.step(kStep);
    for (int i = 0; i < kSubsteps; ++i) {
      v = (v - h * k / m * x) / (1 + h * c / m + h * h * k / m);
      x += h * v;
    }
    worst = std::max(worst, std::fabs(s.x() - 1 - x));
  }
  note("worst", worst);
  EXPECT_LT(worst, 1e-5);
}
// The same about a hinge, with many sweeps: they must not make the spring softer or stiffer.
TEST_P(JointAxes, SpringIsImplicitEulerWithMoreSweeps) {
  SolverSettings solver;
  solver.substeps = 2;
  solver.iterations = 3;
  solver.relax_iterations = 2;
  const double k = 20, c = 0.5, m = 0.8, h = 1.0 / 120;
  Rotor r(weightless(solver), float(m), spring(float(k), float(c), 0.5f));
  double x = -0.5, v = 0, worst = 0;
  for (int step = 0; step < 60; ++step) {
    r.world.step(kStep);
    for (int i = 0; i < 2; ++i) {
      v = (v - h * k / m * x) / (1 + h * c / m + h * h * k / m);
      x += h * v;
    }
    worst = std::max(worst, std::fabs(r.angle() - 0.5 - x));
  }
  note("worst", worst);
  EXPECT_LT(worst, 1e-5);
}
// A spring between two points is the same along their line.
TEST_P(JointAxes, DistanceSpringIsImplicitEuler) {
  const double k = 50, c = 0.7, m = 1.3, h = kSubstep;
  World world(weightless());
  const BodyId body = world.add_body(wheel({0.5f, 0, 0}, float(m), 1));
  JointDef d = distance_joint(kWorld, body, {0, 0, 0}, {0.5f, 0, 0}, 0, kUnlimited);
  d.axis(Axis::x) = spring(float(k), float(c), 1);
  const JointId joint = world.add_joint(d);
  double x = -0.5, v = 0, worst = 0;
  for (int step = 0; step < 60; ++step) {
    world.step(kStep);
    for (int i = 0; i < kSubsteps; ++i) {
      v = (v - h * k / m * x) / (1 + h * c / m + h * h * k / m);
      x += h * v;
    }
    worst = std::max(worst, std::fabs(along(world.reading(joint), Axis::x) - 1 - x));
  }
  note("worst", worst);
  EXPECT_LT(worst, 1e-5);
}

TEST_P(JointAxes, SpringSagsByWeightOverStiffness) {
  Sled s(pulled(9.81f), 2, spring(400, 40));
  s.world.step_n(300, kStep);
  const double sag = 2 * kGravity / 400;
  note("sag", s.x() / sag);
  EXPECT_NEAR(s.x(), sag, 1e-3 * sag);
  EXPECT_NEAR(s.force(), -2 * kGravity, 0.01 * 2 * kGravity);
}

// x = 1 - (1 + w t) e^(-w t); implicit integration lags behind it by about h.
TEST_P(JointAxes, ServoIsCriticallyDamped) {
  Sled s(weightless(), 5, servo(2, 1, 1));
  const double omega = 2 * kPi * 2;
  double most = 0, worst = 0;
  for (int step = 1; step <= 120; ++step) {
    s.world.step(kStep);
    const double t = step / 60.0;
    most = std::max(most, s.x());
    worst = std::max(worst, std::fabs(s.x() - (1 - (1 + omega * t) * std::exp(-omega * t))));
  }
  note("overshoot", most - 1);
  note("worst", worst);
  EXPECT_LT(most, 1.01);
  EXPECT_LT(worst, 0.02);
  EXPECT_NEAR(s.x(), 1, 1e-3);
}
// What a servo may push is bounded: far from its target it accelerates by F / m.
TEST_P(JointAxes, BoundedServoAcceleratesEvenly) {
  Sled s(weightless(), 5, servo(2, 1, 100, 10));
  s.world.step_n(60, kStep);
  note("way", s.x());
  EXPECT_NEAR(s.x(), distance_of_scheme(2, 60, kSubsteps), 1e-4);
  EXPECT_NEAR(s.force(), 10, 0.01);
}

// ---- limits -----------------------------------------------------------------------------------------------------

TEST_P(JointAxes, LimitBouncesWithItsRestitution) {
  for (const float e : {0.0f, 0.25f, 0.5f, 0.9f, 1.0f}) {
    JointDef settings = slider_joint({}, {}, {}, {1, 0, 0});
    settings.limit_restitution = e;
    Sled s(weightless(), 2, limited(-5, 1), 3, settings);
    s.world.step_n(40, kStep);
    note(std::string("e") + std::to_string(int(100 * e)), s.v() / -3);
    EXPECT_NEAR(s.v(), -3 * e, 0.02 * 3 * std::max(e, 0.1f)) << e;
    EXPECT_LT(s.x(), 1 + 1e-3);
  }
}
TEST_P(JointAxes, SlowApproachDoesNotBounce) {
  JointDef settings = slider_joint({}, {}, {}, {1, 0, 0});
  settings.limit_restitution = 0.9f;
  Sled s(weightless(), 2, limited(-5, 0.2f), 0.5f, settings);
  s.world.step_n(60, kStep);
  EXPECT_NEAR(s.v(), 0, 1e-3);
  EXPECT_NEAR(s.x(), 0.2, 1e-3);
}
// Both ends, on a hinge beyond a whole turn.
TEST_P(JointAxes, LimitsHoldBeyondATurn) {
  for (const float speed : {4.0f, -4.0f}) {
    Rotor r(weightless(), 0.5f, limited(-8, 9), speed);
    r.world.step_n(240, kStep);
    EXPECT_NEAR(r.angle(), speed > 0 ? 9 : -8, 2e-3);
    EXPECT_NEAR(r.speed(), 0, 1e-3);
  }
}
// A weight on a rigid limit: no creep, and the weight is read.
TEST_P(JointAxes, LimitBearsAWeight) {
  Sled s(pulled(9.81f), 2, limited(-1, 0.5f));
  s.world.step_n(600, kStep);
  note("miss", s.x() - 0.5);
  EXPECT_NEAR(s.x(), 0.5, 1e-3);
  EXPECT_NEAR(s.v(), 0, 1e-3);
  EXPECT_NEAR(s.force(), -2 * kGravity, 0.01 * 2 * kGravity);
}
// Beyond a soft limit a weight rests at g / w^2.
TEST_P(JointAxes, SoftLimitGivesWayAsASpring) {
  JointDef settings = slider_joint({}, {}, {}, {1, 0, 0});
  settings.limit_hertz = 3;
  Sled s(pulled(9.81f), 2, limited(-1, 0.2f), 0, settings);
  s.world.step_n(300, kStep);
  const double omega = 2 * kPi * 3, sag = kGravity / (omega * omega);
  note("sag", (s.x() - 0.2) / sag);
  EXPECT_NEAR(s.x() - 0.2, sag, 0.01 * sag);
  EXPECT_NEAR(s.force(), -2 * kGravity, 0.01 * 2 * kGravity);
}
// Limits push, they never pull: what leaves them is free. A rigid one that was pressed on lets go after one step.
TEST_P(JointAxes, LimitLetsGo) {
  for (const float hertz : {0.0f, 3.0f}) {
    JointDef settings = slider_joint({}, {}, {}, {1, 0, 0});
    settings.limit_hertz = hertz;
    Sled s(pulled(9.81f), 2, limited(-5, 0), 0, settings);
    s.world.step_n(120, kStep);
    s.world.set_gravity({-9.81f, 0, 0});
    const double start = s.x();
    s.world.step_n(30, kStep);
    note(hertz > 0 ? "soft" : "rigid", (start - s.x()) / distance_of_scheme(kGravity, 30, kSubsteps));
    EXPECT_GT(start - s.x(), 0.999 * distance_of_scheme(kGravity, 29, kSubsteps)) << hertz;
    EXPECT_EQ(s.force(), 0);
  }
}

// An impulse away from a limit that is pressed on goes through: v = -J/m + g t.
TEST_P(JointAxes, PressedLimitLetsAnImpulseThrough) {
  for (const float hertz : {0.0f, 3.0f}) {
    JointDef settings = slider_joint({}, {}, {}, {1, 0, 0});
    settings.limit_hertz = hertz;
    Sled s(pulled(9.81f), 2, limited(-5, 0), 0, settings);
    s.world.step_n(120, kStep);
    s.world.apply_impulse(s.body, {-4, 0, 0});
    s.world.step(kStep);
    EXPECT_NEAR(s.world.linear_velocity(s.body).x, -2 + 9.81 / 60, 0.02) << hertz;
  }
}

// ---- dry friction -----------------------------------------------------------------------------------------------

TEST_P(JointAxes, FrictionHoldsBelowAndSlidesAbove) {
  for (const float push : {4.9f, 7.5f}) {
    Sled s(weightless(), 2, friction(5));
    for (int step = 0; step < 60; ++step) {
      s.world.apply_force(s.body, {push, 0, 0});
      s.world.step(kStep);
    }
    const double expected = push > 5 ? (push - 5) / 2 : 0;
    note(std::string("speed") + std::to_string(int(10 * push)), s.v());
    EXPECT_NEAR(s.v(), expected, 0.01 * std::max(expected, 0.01));
    EXPECT_NEAR(s.force(), -std::min(push, 5.0f), 0.05);
  }
}
// Decelerates by F / m, stops, and stays.
TEST_P(JointAxes, FrictionStops) {
  Sled s(weightless(), 2, friction(5), 2);
  s.world.step_n(30, kStep);
  note("slowed", 2 - s.v());
  EXPECT_NEAR(s.v(), 2 - 1.25, 0.0125);
  s.world.step_n(60, kStep);
  note("way", s.x());
  EXPECT_NEAR(s.v(), 0, 1e-6);
  EXPECT_NEAR(s.x(), 2 * 2 / (2 * 2.5), 0.01 * 0.8);
}
TEST_P(JointAxes, FrictionTorqueStopsAWheel) {
  Rotor r(weightless(), 0.5f, friction(1), 6);
  r.world.step_n(60, kStep);
  note("speed", r.speed());
  EXPECT_NEAR(r.speed(), 4, 0.02);
  EXPECT_NEAR(r.torque(), -1, 0.01);
  r.world.step_n(180, kStep);
  EXPECT_NEAR(r.speed(), 0, 1e-6);
}

// ---- dragging ---------------------------------------------------------------------------------------------------

TEST_P(JointAxes, DraggedBoxDoesNotEnterTheWall) {
  World world(def());
  world.add_body({.shape = plane({0, 1, 0})});
  world.add_body({.shape = box({0.5f, 2, 2}), .motion = Motion::fixed, .position = {2.5f, 2, 0}});
  const BodyId body = world.add_body({.shape = box({0.25f, 0.25f, 0.25f}), .mass = 5.0f, .position = {0, 0.25f, 0}});
  const JointId drag = world.add_joint(drag_joint(body, {0.1f, 0.4f, 0.1f}, 4, 300));
  world.set_targets(drag, Axis::x, 5, 0);
  double deepest = 0;
  for (int step = 0; step < 300; ++step) {
    world.step(kStep);
    const Transform pose = world.pose(body);
    const scenes::Rotation<double> q = scenes::rotation<double>(pose.orientation);
    for (int corner = 0; corner < 8; ++corner) {
      const Vecd at{corner & 1 ? 0.25 : -0.25, corner & 2 ? 0.25 : -0.25, corner & 4 ? 0.25 : -0.25};
      deepest = std::max(deepest, (vec(pose.position) + scenes::rotate(q, at)).x - 2);
    }
  }
  note("deepest", deepest);
  note("force", length(vec(world.reading(drag).force)));
  EXPECT_LT(deepest, 5e-3);
  EXPECT_NEAR(world.reading(drag).force.x, 300, 3);
}
TEST_P(JointAxes, DraggedPointGoesToItsTarget) {
  World world(weightless());
  BodyDef body_def = brick({0, 0, 0});
  body_def.angular_damping = 5;  // else it goes on turning about the point
  const BodyId body = world.add_body(body_def);
  const JointId drag = world.add_joint(drag_joint(body, {0.1f, 0.2f, 0.3f}, 3, 1000));
  world.set_targets(drag, Axis::x, 1, 0);
  world.set_targets(drag, Axis::y, -0.5f, 0);
  world.step_n(300, kStep);
  const JointReading r = world.reading(drag);
  EXPECT_NEAR(along(r, Axis::x), 1, 1e-3);
  EXPECT_NEAR(along(r, Axis::y), -0.5, 1e-3);
  EXPECT_NEAR(along(r, Axis::z), 0, 1e-3);
}

// ---- breaking ---------------------------------------------------------------------------------------------------

// The load grows by 1 N a step from the weight on: the step in which it is first above the limit breaks the joint.
TEST_P(JointAxes, JointBreaksInTheStepThatIsTooMuch) {
  World world(def());
  const BodyId body = world.add_body(brick({0, -0.4f, 0}, 2));
  JointDef d = ball_joint(kWorld, body, {0, 0, 0});
  d.break_force = float(2 * kGravity + 20.5);
  const JointId joint = world.add_joint(d);
  world.step_n(10, kStep);
  for (int load = 1; load <= 20; ++load) {
    world.apply_force(body, {0, float(-load), 0});
    EXPECT_EQ(world.step(kStep).broken_count, 0) << load;
    EXPECT_FALSE(world.reading(joint).broken) << load;
  }
  world.apply_force(body, {0, -21, 0});
  EXPECT_EQ(world.step(kStep).broken_count, 1);
  EXPECT_TRUE(world.reading(joint).broken);
  const double y = world.position(body).y;
  EXPECT_NEAR(y, -0.4, 1e-4);
  for (int step = 0; step < 30; ++step) EXPECT_EQ(world.step(kStep).broken_count, 0);
  EXPECT_NEAR(y - world.position(body).y, distance_of_scheme(kGravity, 30, kSubsteps), 1e-3);
  EXPECT_EQ(world.reading(joint).force.y, 0);
  EXPECT_TRUE(world.contains(joint));
}
TEST_P(JointAxes, WeldBreaksByItsMoment) {
  for (const float bears : {14.0f, 17.0f}) {  // the moment is 15.7 N m
    World world(def());
    const BodyId body = world.add_body(brick({0.8f, 0, 0}, 2));
    JointDef d = weld_joint(kWorld, body, {0, 0, 0});
    d.break_torque = bears;
    const JointId joint = world.add_joint(d);
    world.step_n(60, kStep);
    EXPECT_EQ(world.reading(joint).broken, bears < 15);
    EXPECT_EQ(world.position(body).y < -1, bears < 15);
  }
}
// The middle of a chain of three breaks: the upper part stays, the lower one falls.
TEST_P(JointAxes, ChainFallsFromWhereItBroke) {
  World world(def());
  BodyId body[3];
  JointId joint[3];
  for (int i = 0; i < 3; ++i) {
    body[i] = world.add_body(wheel({0, -0.5f - float(i), 0}, 1, 0.1f));
    JointDef d = ball_joint(i == 0 ? kWorld : body[i - 1], body[i], {0, -float(i), 0});
    if (i == 1) d.break_force = 25;
    joint[i] = world.add_joint(d);
  }
  world.step_n(10, kStep);
  world.apply_force(body[2], {0, -10, 0});
  EXPECT_EQ(world.step(kStep).broken_count, 1);
  EXPECT_TRUE(world.reading(joint[1]).broken);
  world.step_n(60, kStep);
  EXPECT_NEAR(world.position(body[0]).y, -0.5, 1e-3);
  EXPECT_NEAR(world.reading(joint[0]).force.y, kGravity, 0.1);
  EXPECT_LT(world.position(body[2]).y, -6);
  EXPECT_LT(gap_of(world, joint[2]), 1e-4) << "the rest of it holds";
  EXPECT_NEAR(world.reading(joint[2]).force.y, 0, 1e-2);
}

}  // namespace
}  // namespace talus::test
