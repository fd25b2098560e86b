// SPDX-License-Identifier: MIT
// Bodies and joints that enter a world together: all of them or, if one is bad or memory runs out, none.
#include <talus/figures.h>
#include <talus/world.h>

#include "exec_cpu.h"
#include "world_impl.h"

namespace talus {

AssemblyIds add_assembly(World& world, std::span<const BodyDef> bodies, std::span<const AssemblyJoint> joints) {
  World::Impl& w = *world.impl_;
  AssemblyIds ids;
  ids.bodies.reserve(bodies.size());
  ids.joints.reserve(joints.size());
  World::Impl::NewBodies new_bodies(w);
  w.prepare(new_bodies, {"add_assembly", "bodies", 0}, bodies);

  World::Impl::NewJoints new_joints(w);
  new_joints.joints.reserve(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Where where{"add_assembly", "joints", static_cast<std::ptrdiff_t>(i)};
    const auto side = [&](const char* field, int index) -> JointSide {
      if (index == -1) return {};
      if (index < 0 || static_cast<std::size_t>(index) >= bodies.size()) {
        reject(where, field, std::to_string(index), "must be the index of a body, or -1");
      }
      const std::size_t body = static_cast<std::size_t>(index);
      const BodyStateRow& state = new_bodies.states[body];
      return {new_bodies.rows[body], {state.position, state.orientation}};
    };
    const JointSide a = side(".a", joints[i].a), b = side(".b", joints[i].b);
    new_joints.joints.push_back(w.checked_joint(where, joints[i].def, a, b));
  }
  w.prepare(new_joints, "add_assembly", new_bodies.rows);
  w.put_in(new_bodies, ids.bodies);
  w.put_in(new_joints, ids.joints);
  return ids;
}

}  // namespace talus
