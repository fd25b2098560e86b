// SPDX-License-Identifier: MIT
// vehicle: a car with a trailer speeds up to 8 m/s, takes a curve to the left, and brakes. Prints its way; returns 1 if
// it does not reach its speed, turns to the wrong side, loses the trailer, or does not stop.
#include <talus/talus.h>

#include <cmath>
#include <cstdio>

int main() {
  talus::World world;
  world.add_body({.shape = talus::plane({0, 1, 0})});
  talus::VehicleDef def;
  def.trailer = true;
  const talus::Vehicle car = add_vehicle(world, def, {});  // looks along z; left is x

  const auto drive = [&](const char* what, int seconds) {
    for (int second = 0; second < seconds; ++second) {
      for (int step = 0; step < 60; ++step) world.step(1.0f / 60);
      const talus::BodyMotion motion = world.motion(car.chassis);
      const talus::Vec3 p = motion.pose.position, v = motion.linear_velocity;
      std::printf("%-6s x = %6.2f m, z = %6.2f m, %4.2f m/s\n", what, double(p.x), double(p.z),
                  std::hypot(double(v.x), double(v.z)));
    }
    return world.motion(car.chassis);
  };

  car.set_drive(world, 8);
  const talus::BodyMotion fast = drive("faster", 6);
  car.set_steering(world, talus::radians(15));
  const talus::BodyMotion turned = drive("left", 2);
  car.set_steering(world, 0);
  car.set_drive(world, 0);
  const talus::BodyMotion stopped = drive("brake", 6);

  const talus::Vec3 p = stopped.pose.position, t = world.position(car.trailer);
  const double apart = std::hypot(double(p.x - t.x), double(p.z - t.z));
  std::printf("the trailer is %.2f m behind\n", apart);
  const bool reached = std::abs(fast.linear_velocity.z - 8) < 0.1f;
  const bool to_the_left = turned.linear_velocity.x > 4;
  const bool at_rest = std::hypot(stopped.linear_velocity.x, stopped.linear_velocity.z) < 0.01f;
  return reached && to_the_left && at_rest && apart > 3.5 && apart < 4.3 ? 0 : 1;
}
