#pragma once

#include <array>
#include <string_view>

// Protocols: the set-ups for training that datasets have in common, and variants within one. A dataset names
// its protocol and its variant (DatasetEntry), and algorithms have defaults by these names. A dataset may
// have its own: a name that is not here needs no declaration.

namespace pair::data {

struct Protocol {  // or a variant of one
  std::string_view name;
  std::string_view summary;  // the datasets that follow it
};

inline constexpr Protocol paper_protocol{"cmnist", "the paper's ColoredMNIST datasets and tables"};
inline constexpr Protocol extrapolation_protocol{"extrapolation", "the extrapolation example"};
inline constexpr Protocol wilds_protocol{"wilds", "the datasets of WILDS"};
inline constexpr Protocol domainbed_protocol{"domainbed", "datasets in DomainBed's setting"};
// Variants of domainbed_protocol.
inline constexpr Protocol digits_variant{"digits", "DomainBed's ColoredMNIST and RotatedMNIST"};
inline constexpr Protocol pictures_variant{"pictures", "DomainBed's datasets of images"};

// All of them, with the variants: their summaries are for the reference pages.
inline constexpr std::array protocols{paper_protocol,     extrapolation_protocol, wilds_protocol,
                                      domainbed_protocol, digits_variant,         pictures_variant};

}  // namespace pair::data
