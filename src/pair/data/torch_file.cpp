#include "pair/data/torch_file.h"

#include "pair/data/torch_container.h"
#include "pair/data/zip.h"

namespace pair::data {

bool is_torch_file(BytesView bytes) {
  return is_zip(bytes) || torch_container::is_stream(bytes) || torch_container::is_tar(bytes);
}

TorchTensors parse_torch_file(BytesView file, std::string_view what) {
  if (is_zip(file)) {
    return torch_container::parse_zip(file, what);
  }
  if (torch_container::is_stream(file)) {
    return torch_container::parse_stream(file, what);
  }
  if (torch_container::is_tar(file)) {
    return torch_container::parse_tar(file, what);
  }
  torch_container::refuse(what, "expected a file that torch.save wrote, got another (by its first bytes)");
}

}  // namespace pair::data
