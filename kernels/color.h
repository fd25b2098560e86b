// SPDX-License-Identifier: MIT
// Coloring of the contact graph: within a color no dynamic body appears twice, so a color's contacts can be solved at
// the same time. Hashed trial coloring with a fixed palette (methods: parallel engine, 3.3): contacts keep last step's
// color; each open one bids for a free color of both its bodies, and the highest bid wins. Bids are distinct and their
// maximum does not depend on order, so the colors are the same on any machine. Fixed and kinematic bodies never
// conflict: they are never written.
#pragma once
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "math/scalar.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

constexpr int kCountBits = 2;  // of a sort key, below the color: kMaxPoints less the points
constexpr int kSortKeyBits = 4 + kCountBits;
constexpr int kColorRounds = 5;  // measured: 42,000 open contacts need 4 rounds; what is left then overflows

constexpr Index kContactsAColor = 16;  // of few contacts
constexpr int kLeastSpread = 2;        // with 1 each round would close one contact of a body

/// Mixes the low 28 bits one to one, so that different contacts have different bids.
TALUS_INLINE std::uint32_t mix_28(std::uint32_t x) {
  constexpr std::uint32_t kMask = (1u << 28) - 1;
  x = (x * 0x9e3779b1u) & kMask;
  x ^= x >> 15;
  x = (x * 0x85ebca6bu) & kMask;
  x ^= x >> 13;
  return x;
}

/// Position of the n-th set bit.
TALUS_INLINE std::uint32_t nth_bit(std::uint32_t bits, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) bits &= bits - 1;
  std::uint32_t position = 0;
  while (((bits >> position) & 1u) == 0) ++position;
  return position;
}

/// Forgets the last step. One element is one body row.
struct ClearColors {
  SolveRowScratch rows;
  Column<ColorBids> bids;
  TALUS_HD void operator()(Index body) const {
    rows.color_mask[body] = 0;
    rows.split_count[body] = 0;
    for (int c = 0; c < kPalette; ++c) bids[body].bid[c] = 0;
  }
};

/// What the rounds share.
struct ColorGraph {
  PairList pairs;
  Column<float> inv_mass;
  Column<std::uint32_t> mask;   // of each body
  Column<ColorBids> bids;       // of each body
  Column<Index> contact_pair;   // of each contact
  Column<std::uint32_t> color;  // of each contact
  Column<std::uint32_t> open;   // contacts without a color when the rounds begin, in any order
  Counters* counters;           // open_contacts: how many

  TALUS_HD Index body_a(Index contact) const { return pairs.owner[contact_pair[contact]]; }
  TALUS_HD Index body_b(Index contact) const { return pairs.partner[contact_pair[contact]]; }
  TALUS_HD bool moves(Index body) const { return inv_mass[body] > 0.0f; }
  /// How many of the free colors contacts choose from, the first ones. Few contacts in many colors would leave most
  /// lanes of their packs empty. One that comes or goes anywhere may change the order, and so the bits, of all.
  TALUS_HD int spread() const { return max_of(int(counters->contacts / kContactsAColor), kLeastSpread); }
  /// The color an open contact wants in a round, or kPalette if none is free.
  TALUS_HD std::uint32_t wanted(Index contact, Index a, Index b, std::uint32_t round) const {
    const std::uint32_t taken = (moves(a) ? mask[a] : 0u) | (moves(b) ? mask[b] : 0u);
    const std::uint32_t free = ~taken & ((1u << kPalette) - 1);
    if (free == 0) return kPalette;
    const int choices = min_of(bit_count(free), spread());
    return nth_bit(free, mix_28(std::uint32_t(contact) + round * 0x1f3d5b79u) % std::uint32_t(choices));
  }
  /// Higher in later rounds, so that bids need not be cleared between them, and for contacts with what does not move:
  /// in the overflow color they would carry all that rests on a body with a small part of its mass.
  TALUS_HD std::uint32_t bid(Index contact, Index a, Index b, std::uint32_t round) const {
    const std::uint32_t ground = moves(a) && moves(b) ? 0u : 1u;
    return (round + 1) << 29 | ground << 28 | mix_28(std::uint32_t(contact));
  }
};

/// Contacts that have a color from the last step keep it: a part of a valid coloring is valid. The rounds are for the
/// others, which are few once things have come to rest.
struct KeepColors {
  ColorGraph graph;
  TALUS_HD void operator()(Index contact) const {
    const std::uint32_t c = graph.color[contact];
    if (c >= kPalette) {
      graph.open[atomic_add(&graph.counters->open_contacts, 1)] = std::uint32_t(contact);
      return;
    }
    const Index a = graph.body_a(contact), b = graph.body_b(contact);
    if (graph.moves(a)) atomic_or(&graph.mask[a], 1u << c);
    if (graph.moves(b)) atomic_or(&graph.mask[b], 1u << c);
  }
};

/// One element is one of the open contacts; also in the two kernels after it.
struct BidForColor {
  ColorGraph graph;
  std::uint32_t round;
  TALUS_HD void operator()(Index i) const {
    const Index contact = Index(graph.open[i]);
    if (graph.color[contact] < kPalette) return;
    const Index a = graph.body_a(contact), b = graph.body_b(contact);
    const std::uint32_t c = graph.wanted(contact, a, b, round);
    if (c == kPalette) return;
    const std::uint32_t bid = graph.bid(contact, a, b, round);
    if (graph.moves(a)) atomic_max(&graph.bids[a].bid[c], bid);
    if (graph.moves(b)) atomic_max(&graph.bids[b].bid[c], bid);
  }
};

/// Takes the color if the bid won at both bodies. Reads the masks of the round's start: the winners' bits are set by
/// MarkColors, so that no element sees another's result.
struct TakeColor {
  ColorGraph graph;
  std::uint32_t round;
  TALUS_HD void operator()(Index i) const {
    const Index contact = Index(graph.open[i]);
    if (graph.color[contact] < kPalette) return;
    const Index a = graph.body_a(contact), b = graph.body_b(contact);
    const std::uint32_t c = graph.wanted(contact, a, b, round);
    const std::uint32_t bid = graph.bid(contact, a, b, round);
    const bool won = c != kPalette && (!graph.moves(a) || graph.bids[a].bid[c] == bid) &&
                     (!graph.moves(b) || graph.bids[b].bid[c] == bid);
    // 0x80 | c: taken in this round
    if (won) graph.color[contact] = 0x80u | c;
  }
};
struct MarkColors {
  ColorGraph graph;
  TALUS_HD void operator()(Index i) const {
    const Index contact = Index(graph.open[i]);
    const std::uint32_t marked = graph.color[contact];
    if ((marked & 0x80u) == 0 || marked == kNoColor) return;
    const std::uint32_t c = marked & 0x7fu;
    graph.color[contact] = c;
    const Index a = graph.body_a(contact), b = graph.body_b(contact);
    if (graph.moves(a)) atomic_or(&graph.mask[a], 1u << c);
    if (graph.moves(b)) atomic_or(&graph.mask[b], 1u << c);
  }
};

/// What is still open goes to the overflow color; its bodies count how often they are split. Contacts of a color are
/// sorted by their number of points: lanes of a pack or warp then have about equally many.
struct CloseColors {
  ColorGraph graph;
  Column<Index> split_count;
  ContactRecords contacts;
  // out: element is one contact
  Column<std::uint32_t> sort_key;
  Column<std::uint32_t> sort_contact;

  TALUS_HD void operator()(Index contact) const {
    const Index a = graph.body_a(contact), b = graph.body_b(contact);
    std::uint32_t c = graph.color[contact];
    if (c >= kPalette) {
      c = kOverflowColor;
      if (graph.moves(a)) atomic_add(&split_count[a], 1);
      if (graph.moves(b)) atomic_add(&split_count[b], 1);
    }
    graph.color[contact] = c;
    CachedContact& cached = contacts[graph.contact_pair[contact]];
    cached.color = c;
    sort_key[contact] = c << kCountBits | std::uint32_t(kMaxPoints - int(cached.count));
    sort_contact[contact] = std::uint32_t(contact);
  }
};

/// Where each color begins among the sorted contacts. color_size holds the first contact of each color until
/// ShapeLanes.
struct FindColorBegins {
  Column<std::uint32_t> sort_key;
  Counters* counters;
  int bits;  // of a key below the color
  TALUS_HD void operator()(Index i) const {
    const std::uint32_t c = sort_key[i] >> bits;
    if (i == 0 || sort_key[i - 1] >> bits != c) counters->color_begin[c] = i;
    if (i + 1 == counters->contacts || sort_key[i + 1] >> bits != c) counters->color_size[c] = i + 1;
  }
};

/// One element. From [begin, end) of each color among the contacts to sizes and to lanes padded to whole blocks.
struct ShapeLanes {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    Index lane = 0;
    for (int c = 0; c < kColorCount; ++c) {
      const Index size = counters->color_size[c] - counters->color_begin[c];
      counters->color_size[c] = size;
      counters->color_begin[c] = lane;
      lane += (size + kLanes - 1) / kLanes * kLanes;
    }
    counters->color_begin[kColorCount] = lane;
    counters->lanes = lane;
    const Index rows = counters->active_lanes > 0 ? counters->active_lanes : counters->rows;
    counters->split_rows = counters->color_size[kOverflowColor] > 0 ? rows : 0;
  }
};

}  // namespace talus::inline TALUS_ISA
