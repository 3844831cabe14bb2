#pragma once

#include <map>
#include <string>
#include <vector>

// An SVG as a strict XML parser reads it.

namespace pair::plot::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside, entities resolved
};

struct Xml {
  std::string error;  // empty if the document is well-formed
  std::vector<Element> elements;

  [[nodiscard]] std::vector<Element> named(const std::string& name) const;
  // The texts of all elements of this name.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
};

Xml parse_xml(const std::string& text);

}  // namespace pair::plot::test
