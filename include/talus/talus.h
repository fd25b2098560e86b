// SPDX-License-Identifier: MIT
/// @file
/// Everything a program that embeds talus needs: `#include <talus/talus.h>`.
#pragma once
#include <talus/column.h>
#include <talus/config.h>
#include <talus/contact_problem.h>
#include <talus/custom_joint.h>
#include <talus/defs.h>
#include <talus/event.h>
#include <talus/figures.h>
#include <talus/joint.h>
#include <talus/status.h>
#include <talus/types.h>
#include <talus/world.h>
