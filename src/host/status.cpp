// SPDX-License-Identifier: MIT
#include <talus/status.h>

#include <iterator>

namespace talus {

const char* stage_name(Stage stage) {
  static constexpr const char* kNames[] = {"apply_commands", "update_bounds",    "find_pairs",     "collide_pairs",
                                           "color_contacts", "prepare_contacts", "solve_contacts", "finish_step",
                                           "update_islands", "report_events"};
  static_assert(std::size(kNames) == kStageCount);
  return std::size_t(stage) < std::size(kNames) ? kNames[std::size_t(stage)] : "unknown";
}

std::string StepReport::message() const {
  std::string text;
  const auto say = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  if (has(status, StepStatus::not_finite)) {
    say("body {slot " + std::to_string(first_bad_body.slot) + ", generation " +
        std::to_string(first_bad_body.generation) + "} left the finite range and was frozen");
  }
  if (has(status, StepStatus::pairs_grown)) say("pair buffer enlarged, step redone");
  if (has(status, StepStatus::contacts_grown)) say("contact buffer enlarged, step redone");
  if (has(status, StepStatus::colors_full)) say(std::to_string(overflow_count) + " contacts in the overflow color");
  if (has(status, StepStatus::deep_penetration)) say("bodies are inside each other by more than half their thickness");
  return text.empty() ? "ok" : text;
}

}  // namespace talus
