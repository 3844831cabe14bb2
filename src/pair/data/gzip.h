#pragma once

#include <string_view>

#include "pair/data/bytes.h"

namespace pair::data {

// Whether the bytes start as a gzip stream does; the name's ending is not asked.
bool is_gzip(BytesView bytes);

// What a gzip stream holds; several streams on end are joined, as gzip does. `name` stands in the sentences.
// Throws std::runtime_error where the stream is damaged or cut off, where other bytes follow it, or where it
// unpacks to more than largest_file.
Bytes gunzip(BytesView bytes, std::string_view name);

// The same for what may be gzipped or not: bytes that are no gzip stream come back as they are.
Bytes gunzipped(Bytes bytes, std::string_view name);

}  // namespace pair::data
