#pragma once

#include <string_view>

#include "pair/data/bytes.h"

namespace pair::data {

// Whether the bytes start as a gzip stream; independent of the file's name.
bool is_gzip(BytesView bytes);

// The content of a gzip stream; consecutive streams are concatenated, as by gzip. `name` is used in error
// messages. Throws std::runtime_error if the stream is damaged or truncated, is followed by other bytes, or
// unpacks to more than largest_file.
Bytes gunzip(BytesView bytes, std::string_view name);

// The same if the bytes are gzipped; other bytes are returned unchanged.
Bytes gunzipped(Bytes bytes, std::string_view name);

}  // namespace pair::data
