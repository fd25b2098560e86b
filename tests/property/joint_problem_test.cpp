// SPDX-License-Identifier: MIT
// The problem of a step with joints: its rows are the joints' coordinates, what the world found is in it, and others
// find the same.
#include <algorithm>
#include <cmath>
#include <Eigen/Dense>
#include <map>
#include <string>
#include <vector>

#include "analytic/joint_rig.h"
#include "lab/solver.h"
#include "scenes/joint_scenes.h"
#include "support/contact_law.h"

namespace talus::test {
namespace {

using RowKind = ContactProblem::RowKind;

struct Machine {
  const char* name;
  void (*add)(World& world);
};

BodyDef ground() {
  return {.shape = plane({0, 1, 0})};
}
/// Bodies that move and turn as they like when the first step begins.
BodyDef stirred(Random& random, Vec3 position) {
  BodyDef body = brick(position);
  body.orientation = random.rotation();
  body.linear_velocity = random.in_box(1);
  body.angular_velocity = random.in_box(2);
  body.filter.mask = 0;
  return body;
}
std::array<BodyId, 2> stirred_pair(World& world, Random& random, float x) {
  return {world.add_body(stirred(random, {x, 5, 0})), world.add_body(stirred(random, {x, 5, 0.7f}))};
}

// A chain that falls on the ground: a tree of balls, which tension stiffens, and contacts.
void add_chain(World& world) {
  world.add_body(ground());
  BodyId last = world.add_body({.shape = sphere(0.2f), .motion = Motion::fixed, .position = {0, 2, 0}});
  for (int i = 0; i < 6; ++i) {
    BodyDef link{.shape = capsule(0.1f, 0.15f), .mass = i == 5 ? 50.0f : 1.0f, .position = {0.25f + 0.5f * i, 2, 0}};
    link.orientation = turn({0, 0, 1}, kPi / 2);
    const BodyId next = world.add_body(link);
    world.add_joint(ball_joint(last, next, {0.5f * i, 2, 0}));
    last = next;
  }
}
void add_scene(World& world, const scenes::Scene& scene) {
  for (const BodyDef& body : scene.statics) world.add_body(body);
  add_assembly(world, scene.bodies, scene.joints);
}
// Balls that no tree holds: sweeps.
void add_grid(World& world) {
  scenes::Scene scene = scenes::joint_grid(4);
  scene.bodies.back().linear_velocity = {0.5f, 0, 2};
  add_scene(world, scene);
}
void add_dolls(World& world) {
  add_scene(world, scenes::ragdolls(1));
}
// One loop in a tree: three rows of it say what the others do.
void add_four_bar(World& world) {
  const Vec3 corners[] = {{0, 0, 0}, {0, 0.3f, 0}, {0.74912958f, 0.58072206f, 0}, {0.9f, 0, 0}};
  BodyId last = kWorld;
  for (int i = 0; i < 4; ++i) {
    BodyId next = kWorld;
    if (i < 3) {
      const float x = corners[i + 1].x - corners[i].x, y = corners[i + 1].y - corners[i].y;
      next = world.add_body({.shape = box({0.5f * std::hypot(x, y), 0.02f, 0.02f}),
                             .mass = 1.0f,
                             .position = {corners[i].x + 0.5f * x, corners[i].y + 0.5f * y, 0},
                             .orientation = turn({0, 0, 1}, std::atan2(y, x))});
    }
    world.add_joint(hinge_joint(last, next, corners[i], {0, 0, 1}));
    last = next;
  }
}
// Every usual joint between two bodies, locked axes in trees.
void add_pairs(World& world) {
  Random random(7);
  float x = 0;
  const auto pair = [&] { return stirred_pair(world, random, x += 3); };
  const auto at = [&](float z = 0.35f) { return Vec3{x, 5, z}; };
  const Vec3 axis{0.6f, 0, 0.8f}, across{0.8f, 0, -0.6f};
  const auto add = [&](auto make) {
    const std::array<BodyId, 2> b = pair();
    world.add_joint(make(b[0], b[1]));
  };
  add([&](BodyId a, BodyId b) { return ball_joint(a, b, at()); });
  add([&](BodyId a, BodyId b) { return hinge_joint(a, b, at(), axis); });
  add([&](BodyId a, BodyId b) { return universal_joint(a, b, at(), axis, across); });
  add([&](BodyId a, BodyId b) { return slider_joint(a, b, at(), axis); });
  add([&](BodyId a, BodyId b) { return cylindrical_joint(a, b, at(), axis); });
  add([&](BodyId a, BodyId b) { return weld_joint(a, b, at()); });
  add([&](BodyId a, BodyId b) { return distance_joint(a, b, at(0.1f), at(0.6f), 0.5f, 0.5f); });
  add([&](BodyId a, BodyId b) { return distance_joint(a, b, at(0.1f), at(0.6f), 0.0f, 0.45f); });
  add([&](BodyId a, BodyId b) { return motor_joint(a, b, at(), 2.0f, 50.0f, 20.0f); });
  add([&](BodyId a, BodyId) { return drag_joint(a, at(0.1f), 1.0f, 100.0f); });
  add([&](BodyId a, BodyId b) { return gear_joint(a, axis, b, across, 2.0f); });
  add([&](BodyId a, BodyId b) {
    JointDef hinge = hinge_joint(a, b, at(), axis);
    hinge.axis(Axis::twist) = motor(4.0f, 3.0f);
    hinge.axis(Axis::twist).friction = 0.2f;
    return hinge;
  });
  add([&](BodyId a, BodyId b) {
    JointDef slider = slider_joint(a, b, at(), axis);
    slider.axis(Axis::x) = spring(40.0f, 3.0f, 0.1f);
    return slider;
  });
}
// Limits of all kinds, on which motors press.
void add_limits(World& world) {
  Random random(11);
  for (int i = 0; i < 6; ++i) {
    const float x = 3.0f * float(i);
    const std::array<BodyId, 2> b = stirred_pair(world, random, x);
    JointDef joint = i % 2 == 0 ? hinge_joint(b[0], b[1], {x, 5, 0.35f}, {0, 1, 0})
                                : slider_joint(b[0], b[1], {x, 5, 0.35f}, {0, 1, 0});
    AxisDef& axis = joint.axis(i % 2 == 0 ? Axis::twist : Axis::x);
    axis = motor(i < 4 ? 2.0f : -2.0f, 100.0f);
    axis.mode = AxisMode::limited;
    axis.lower = i < 4 ? -1.0f : -0.02f;
    axis.upper = i < 4 ? 0.02f : 1.0f;
    if (i == 2 || i == 3) joint.limit_hertz = 5.0f;
    world.add_joint(joint);
  }
}
// Joints in more than one loop, with turning axes, beside each other: sweeps solve their locked axes, six at a time.
void add_ring(World& world) {
  Random random(3);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 6; ++i) {
    BodyDef body = stirred(random, {std::cos(float(i)), 5, std::sin(float(i))});
    body.linear_velocity = random.in_box(0.2f);
    body.angular_velocity = random.in_box(0.2f);
    bodies.push_back(world.add_body(body));
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = i + 1; j < 6; ++j) {
      const Vec3 middle{0.5f * (std::cos(float(i)) + std::cos(float(j))), 5,
                        0.5f * (std::sin(float(i)) + std::sin(float(j)))};
      const BodyId a = bodies[std::size_t(i)], b = bodies[std::size_t(j)];
      if ((i + j) % 3 == 0) {
        world.add_joint(hinge_joint(a, b, middle, {0, 1, 0}));
      } else if ((i + j) % 3 == 1) {
        world.add_joint(universal_joint(a, b, middle, {1, 0, 0}, {0, 1, 0}));
      } else {
        world.add_joint(ball_joint(a, b, middle));
      }
    }
  }
}
/// Frame b's origin stays on a line of frame a (custom_joint.h).
struct PointOnLine {
  TALUS_HD void operator()(const JointPlace& at, CustomRow rows[6]) const {
    for (int i = 1; i < 3; ++i) rows[i] = at.push_row(at.axis_a(i));
  }
};
// A kind of the caller's, and a body that is led.
void add_led(World& world) {
  Random random(5);
  const int kind = world.add_joint_kind(joint_kind(PointOnLine{}));
  const std::array<BodyId, 2> b = stirred_pair(world, random, 0);
  JointDef line{.a = b[0], .b = b[1], .frame = {{0, 5, 0.35f}, kIdentity}, .kind = kind};
  line.axes[1] = line.axes[2] = locked();
  world.add_joint(line);
  BodyDef platform = brick({3, 5, 0});
  platform.motion = Motion::kinematic;
  platform.linear_velocity = {0.3f, 0.2f, 0};
  platform.angular_velocity = {0, 1, 0.5f};
  const BodyId led = world.add_body(platform), follower = world.add_body(stirred(random, {3, 5, 0.7f}));
  world.add_joint(hinge_joint(led, follower, {3, 5, 0.35f}, {0, 1, 0}));
}

const Machine kMachines[] = {
    {"chain", add_chain}, {"grid", add_grid},     {"dolls", add_dolls}, {"four_bar", add_four_bar},
    {"pairs", add_pairs}, {"limits", add_limits}, {"ring", add_ring},   {"led", add_led},
};

class JointProblem : public JointTest {
 protected:
  static WorldDef def(int sweeps) {
    SolverSettings solver{.solver = Solver::rigid, .stabilization = Stabilization::baumgarte};
    solver.rigid.sweeps = sweeps;
    WorldDef d = JointTest::def(solver);
    d.keep_contact_problem = true;
    return d;
  }
};
TALUS_INSTANTIATE_ON_CPU(JointProblem);  // what is read is plain memory, the same on every backend

/// u = u* + M^-1 J^T x are the velocities that the world ended with, to rounding.
TEST_P(JointProblem, ImpulsesMakeTheVelocitiesThatTheWorldEndedWith) {
  std::map<RowKind, int> seen;
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(machine.name);
    World world(def(20));
    machine.add(world);
    int joint_rows = 0;
    double worst = 0;
    for (int step = 0; step < 30; ++step) {
      world.step(kStep);
      const ContactProblem problem = world.contact_problem();
      std::vector<double> x = impulses(problem);
      const std::vector<Twist> u = velocities(problem, x);
      for (double& impulse : x) impulse = std::abs(impulse);
      ContactProblem sizes = problem;  // all that was added up, by its size: what rounding is a part of
      for (ContactProblem::Body& body : sizes.bodies) {
        for (double& v : body.free_velocity) v = std::abs(v);
        for (double& entry : body.inv_inertia) entry = std::abs(entry);
      }
      for (ContactProblem::Row& row : sizes.rows) {
        ++seen[row.kind];
        joint_rows += row.joint >= 0 ? 1 : 0;
        for (auto* vector : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b}) {
          for (double& entry : *vector) entry = std::abs(entry);
        }
      }
      double most = 0, miss = 0;
      for (const Twist& twist : velocities(sizes, x))
        most = std::max(most, *std::max_element(twist.begin(), twist.end()));
      for (std::size_t i = 0; i < u.size(); ++i) {
        for (std::size_t k = 0; k < 6; ++k) miss = std::max(miss, std::abs(u[i][k] - problem.bodies[i].velocity[k]));
      }
      worst = std::max(worst, miss / most);
    }
    EXPECT_LT(worst, 5e-5);  // 20 sweeps, each of which rounds; the ring, where bodies have ten joints, has 2e-5
    EXPECT_GT(joint_rows, 0);
  }
  for (const RowKind kind :
       {RowKind::contact, RowKind::joint_lock, RowKind::joint_drive, RowKind::joint_friction, RowKind::joint_limit}) {
    EXPECT_GT(seen[kind], 100) << int(kind);
  }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

using Columns = Eigen::Matrix<double, 1, 12>;  // velocities of a, then those of b

Columns columns(const ContactProblem::Row& row) {
  Columns j;
  for (int i = 0; i < 3; ++i) {
    const std::size_t k = std::size_t(i);
    j[i] = row.linear_a[k];
    j[3 + i] = row.angular_a[k];
    j[6 + i] = row.linear_b[k];
    j[9 + i] = row.angular_b[k];
  }
  return j;
}

/// A body as it was, moved by a little along one of its six velocities.
Frame moved_frame(const Transform& pose, const Transform& local, int direction, double by) {
  Vecd shift{0, 0, 0}, turn{0, 0, 0};
  (direction % 3 == 0   ? (direction < 3 ? shift.x : turn.x)
   : direction % 3 == 1 ? (direction < 3 ? shift.y : turn.y)
                        : (direction < 3 ? shift.z : turn.z)) = by;
  const Vecd half = 0.5 * turn;
  const Turn q =
      times({half.x, half.y, half.z, std::sqrt(1 - dot(half, half))}, scenes::rotation<double>(pose.orientation));
  return {vec(pose.position) + shift + scenes::rotate(q, vec(local.position)),
          times(q, scenes::rotation<double>(local.orientation))};
}

/// How the coordinates change with the velocities of both bodies, by differences.
Eigen::Matrix<double, kAxisCount, 12> derivatives(const JointDef& def, const Transform& pose_a,
                                                  const Transform& pose_b) {
  constexpr double kBy = 1e-4;
  Eigen::Matrix<double, kAxisCount, 12> d;
  for (int column = 0; column < 12; ++column) {
    const auto at = [&](double by) {
      return coordinates(def, moved_frame(pose_a, def.frame_a, column % 6, column < 6 ? by : 0.0),
                         moved_frame(pose_b, def.frame_b, column % 6, column < 6 ? 0.0 : by));
    };
    const std::array<double, kAxisCount> before = at(-kBy), after = at(kBy);
    for (int axis = 0; axis < kAxisCount; ++axis) {
      d(axis, column) = (after[std::size_t(axis)] - before[std::size_t(axis)]) / (2 * kBy);
    }
  }
  return d;
}

Turn frame_turn(const Transform& pose, const Transform& local) {
  return times(scenes::rotation<double>(pose.orientation), scenes::rotation<double>(local.orientation));
}
Turn inverse(Turn q) {
  return {-q.x, -q.y, -q.z, q.w};
}
/// Axes of all modes, and frames in any two bodies; the swings are less than a right angle.
JointDef any_joint(Random& random, const std::array<BodyId, 2>& body, const std::array<Transform, 2>& pose) {
  JointDef joint{.a = body[0], .b = body[1], .frames_in_bodies = true};
  joint.frame_a = {random.in_box(0.3f), random.rotation()};
  const Turn swing = scenes::rotation<double>(turn(random.direction(), random.between(0.1f, 0.9f)));
  const Turn local =
      times(inverse(scenes::rotation<double>(pose[1].orientation)), times(frame_turn(pose[0], joint.frame_a), swing));
  joint.frame_b = {random.in_box(0.3f), {float(local.x), float(local.y), float(local.z), float(local.w)}};
  for (AxisDef& axis : joint.axes) {
    const AxisDef kinds[] = {locked(), locked(), limited(-0.01f, 0.01f), spring(10.0f, 1.0f), friction(1.0f)};
    axis = kinds[random.below(5)];
  }
  return joint;
}
/// Whether a joint holds a point and no turning axis: its rows are along the world's axes.
bool holds_a_point(const JointDef& joint) {
  for (std::size_t i = 0; i < 3; ++i) {
    const AxisMode turning = joint.axes[3 + i].mode;
    if (joint.axes[i].mode != AxisMode::locked || turning == AxisMode::locked || turning == AxisMode::limited) {
      return false;
    }
  }
  return true;
}

/// Two bodies anywhere and three joints between them, the first in a tree and the others not: rows are the derivatives
/// of the coordinates.
TEST_P(JointProblem, RowsAreTheDerivativesOfTheCoordinates) {
  int rigid = 0, soft = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    World world(def(3));
    std::array<Transform, 2> pose;
    std::array<BodyId, 2> body;
    for (std::size_t i = 0; i < 2; ++i) {
      body[i] = world.add_body(stirred(random, random.in_box(1)));
      pose[i] = world.pose(body[i]);
    }
    std::map<Index, JointDef> joints;
    for (int i = 0; i < 3; ++i) {
      const JointDef joint = any_joint(random, body, pose);
      joints[Index(world.add_joint(joint).slot)] = joint;
    }
    world.step(1e-3f);
    std::map<Index, std::vector<ContactProblem::Row>> soft_locks;  // by joint
    for (const ContactProblem::Row& row : world.contact_problem().rows) {
      ASSERT_GE(row.joint, 0);
      if (row.kind == RowKind::joint_lock && row.softness > 0.0) {
        soft_locks[row.joint].push_back(row);
        continue;
      }
      const JointDef& joint = joints.at(row.joint);
      const Eigen::Matrix<double, kAxisCount, 12> d = derivatives(joint, pose[0], pose[1]);
      Columns want = d.row(int(row.axis));
      if (row.kind == RowKind::joint_lock && holds_a_point(joint)) {
        want.setZero();
        for (int i = 0; i < 3; ++i) {
          const Vecd along =
              scenes::rotate(frame_turn(pose[0], joint.frame_a), Vecd{double(i == 0), double(i == 1), double(i == 2)});
          want += (row.axis == Axis::x ? along.x : row.axis == Axis::y ? along.y : along.z) * d.row(i);
        }
      }
      const double side = want.dot(columns(row)) < 0 ? -1 : 1;  // the upper limit, or a child that is a
      EXPECT_LT((side * want - columns(row)).cwiseAbs().maxCoeff(), 3e-6) << int(row.axis) << ' ' << int(row.kind);
      ++rigid;
    }
    // Locked axes that yield: each is its axis less a part of those before it.
    for (const auto& [joint, locks] : soft_locks) {
      const Eigen::Matrix<double, kAxisCount, 12> d = derivatives(joints.at(joint), pose[0], pose[1]);
      const Eigen::Index count = Eigen::Index(locks.size());
      Eigen::MatrixXd axes(count, 12), rows(count, 12);
      for (Eigen::Index i = 0; i < count; ++i) {
        axes.row(i) = d.row(int(locks[std::size_t(i)].axis));
        rows.row(i) = columns(locks[std::size_t(i)]);
      }
      const Eigen::MatrixXd parts = axes.transpose().colPivHouseholderQr().solve(rows.transpose()).transpose();
      EXPECT_LT((parts * axes - rows).cwiseAbs().maxCoeff(), 3e-6);
      for (Eigen::Index i = 0; i < count; ++i) {
        EXPECT_NEAR(parts(i, i), 1.0, 1e-4);
        for (Eigen::Index j = i + 1; j < count; ++j) EXPECT_NEAR(parts(i, j), 0.0, 1e-4);
      }
      soft += int(count);
    }
  }
  EXPECT_GT(rigid, 500);
  EXPECT_GT(soft, 200);
}

/// Locked axes that yield do so by a part of their own matrix: it is the softness, and nothing is beside its diagonal.
TEST_P(JointProblem, SoftLocksHaveADiagonalMatrix) {
  World world(def(5));
  add_ring(world);
  world.step(kStep);
  const ContactProblem problem = world.contact_problem();
  const lab::Matrix a = lab::delassus(lab::make_problem(problem));
  double part = 0.0;
  int count = 0;
  for (Index i = 0; i < Index(problem.rows.size()); ++i) {
    const ContactProblem::Row& row = problem.rows[std::size_t(i)];
    if (row.softness == 0.0) continue;
    const double give = a(i, i) - row.softness;
    if (part == 0.0) part = row.softness / give;
    EXPECT_NEAR(row.softness / give, part, 1e-9);
    for (Index j = 0; j < i; ++j) {
      const bool same = problem.rows[std::size_t(j)].joint == row.joint;
      EXPECT_NEAR(same ? a(i, j) : 0.0, 0.0, 1e-9 * give);
    }
    ++count;
  }
  EXPECT_GT(count, 20);
}

/// Another solver finds, in double precision, the velocities that the world has after many sweeps: as near as the
/// world says it is.
TEST_P(JointProblem, OthersFindTheSameVelocities) {
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(machine.name);
    const std::string name = machine.name;
    // Feet of dolls, light and driven, take longer, and a chain whose heavy end lies on the ground.
    World world(def(name == "dolls" ? 1600 : name == "chain" ? 800 : 400));
    machine.add(world);
    bool contacts = false;
    for (int step = 0; step < 60; ++step) {
      world.step(kStep);
      if (step % 12 != 4) continue;
      const lab::Problem problem = lab::make_problem(world.contact_problem());
      contacts = contacts || !problem.disks.empty();
      // The dense slopes of Newton's method are too much for dolls.
      const lab::Solution other = lab::solve(problem.row_count() > 150 ? "nncg" : "newton_min", problem,
                                             {.max_sweeps = 200000, .tolerance = 1e-8});
      EXPECT_EQ(other.outcome, lab::Outcome::converged) << "step " << step << ", residual " << other.residual;
      if (problem.disks.empty() && problem.row_count() <= 150) {
        const lab::Solution exact = lab::solve("dantzig", problem);
        EXPECT_EQ(exact.outcome, lab::Outcome::converged) << "step " << step;
        EXPECT_LT((exact.velocity - other.velocity).lpNorm<Eigen::Infinity>(), 1e-6) << "step " << step;
      }
      const double residual = lab::natural_residual(problem, problem.impulse, {});
      const double apart = (other.velocity - lab::velocity(problem, problem.impulse)).lpNorm<Eigen::Infinity>();
      EXPECT_LT(residual, 2e-3);  // [m/s, rad/s] what sweeps leave, and rounding
      EXPECT_LT(apart, 10 * residual + 1e-5) << "step " << step;
    }
    EXPECT_EQ(contacts, name == "chain" || name == "dolls");
  }
}

/// Contacts that yield are rows like others.
TEST_P(JointProblem, SoftContactsHaveTheSameAnswer) {
  WorldDef d = def(200);
  d.solver.stabilization = Stabilization::soft;
  World world(d);
  world.add_body(ground());
  for (int i = 0; i < 4; ++i) {
    world.add_body(
        {.shape = box({0.5f, 0.5f, 0.5f}), .mass = 1.0f, .position = {0.05f * float(i), 0.49f + 0.98f * float(i), 0}});
  }
  for (int step = 0; step < 10; ++step) {
    world.step(kStep);
    const ContactProblem contacts = world.contact_problem();
    ASSERT_GT(contacts.rows.at(0).softness, 0.0);
    lab::Problem problem = lab::make_problem(contacts);
    const auto apart = [&] {
      const lab::Solution other = lab::solve("nncg", problem, {.max_sweeps = 20000, .tolerance = 1e-5});
      EXPECT_EQ(other.outcome, lab::Outcome::converged) << other.residual;
      return (other.velocity - lab::velocity(problem, problem.impulse)).lpNorm<Eigen::Infinity>();
    };
    EXPECT_LT(apart(), 2e-4) << "step " << step;
    problem.softness.setZero();
    EXPECT_GT(apart(), 5e-3) << "step " << step;
  }
}

/// Joints at rest are not in the problem, nor are their bodies: they have no records in such a step.
TEST_P(JointProblem, LeavesOutWhatSleeps) {
  WorldDef d = def(20);
  d.sleep.enabled = true;
  World world(d);
  const BodyId resting = world.add_body(brick({0, 5, 0})), turning = world.add_body(brick({3, 5, 0}));
  const JointId weld = world.add_joint(weld_joint(kWorld, resting, {0, 5, 0}));
  JointDef hinge = hinge_joint(kWorld, turning, {3, 5, 0}, {0, 0, 1});
  hinge.axis(Axis::twist) = motor(5.0f, 10.0f);
  const JointId driven = world.add_joint(hinge);
  const auto rows_of = [&](JointId joint) {
    const std::vector<ContactProblem::Row> rows = world.contact_problem().rows;
    return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.joint == Index(joint.slot); });
  };
  world.step(kStep);
  EXPECT_EQ(rows_of(weld), 6);
  EXPECT_EQ(rows_of(driven), 6);
  world.step_n(200, kStep);
  ASSERT_EQ(world.last_report().awake_count, 1);
  EXPECT_EQ(rows_of(weld), 0);
  EXPECT_EQ(rows_of(driven), 6);
  const ContactProblem problem = world.contact_problem();
  ASSERT_EQ(problem.bodies.size(), 1u);
  EXPECT_EQ(problem.bodies[0].row, Index(turning.slot));
  EXPECT_NEAR(velocities(problem, impulses(problem))[0][5], 5.0, 1e-4);
}

TEST_P(JointProblem, IsGoneWhenJointsCameOrWent) {
  World world(def(5));
  add_four_bar(world);
  EXPECT_TRUE(world.contact_problem().rows.empty());  // no step yet
  world.step(kStep);
  EXPECT_EQ(world.contact_problem().rows.size(), 17u);  // of 20: three say what the others do
  const BodyId more = world.add_body(brick({5, 5, 5}));
  world.add_joint(ball_joint(more, kWorld, {5, 5, 5}));
  EXPECT_THROW(world.contact_problem(), Error);
  world.state_hash();  // edits go in
  EXPECT_THROW(world.contact_problem(), Error);
  world.step(kStep);
  EXPECT_EQ(world.contact_problem().rows.size(), 20u);
}

}  // namespace
}  // namespace talus::test
