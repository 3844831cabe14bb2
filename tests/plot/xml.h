#pragma once

#include <map>
#include <string>
#include <vector>

// What a strict reader makes of an SVG.

namespace pair::plot::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside, entities resolved
};

struct Xml {
  std::string error;  // empty where it is well-formed
  std::vector<Element> elements;

  [[nodiscard]] std::vector<Element> named(const std::string& name) const;
  // Of all elements of this name.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
};

Xml parse_xml(const std::string& text);

}  // namespace pair::plot::test
