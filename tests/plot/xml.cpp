#include "tests/plot/xml.h"

#include <expat.h>

#include <memory>

namespace pair::plot::test {
namespace {

struct State {
  Xml xml;
  std::vector<std::size_t> open;
};

void start(void* data, const XML_Char* name, const XML_Char** attributes) {
  auto& state = *static_cast<State*>(data);
  Element element{name, {}, ""};
  for (std::size_t i = 0; attributes[i] != nullptr; i += 2) {
    element.attributes[attributes[i]] = attributes[i + 1];
  }
  state.open.push_back(state.xml.elements.size());
  state.xml.elements.push_back(std::move(element));
}

void end(void* data, const XML_Char*) {
  static_cast<State*>(data)->open.pop_back();
}

void characters(void* data, const XML_Char* text, int length) {
  auto& state = *static_cast<State*>(data);
  state.xml.elements[state.open.back()].text.append(text, static_cast<std::size_t>(length));
}

}  // namespace

std::vector<Element> Xml::named(const std::string& name) const {
  std::vector<Element> found;
  for (const Element& element : elements) {
    if (element.name == name) {
      found.push_back(element);
    }
  }
  return found;
}

std::vector<std::string> Xml::texts(const std::string& name) const {
  std::vector<std::string> found;
  for (const Element& element : named(name)) {
    found.push_back(element.text);
  }
  return found;
}

Xml parse_xml(const std::string& text) {
  State state;
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate("UTF-8"),
                                                                            &XML_ParserFree);
  XML_SetUserData(parser.get(), &state);
  XML_SetElementHandler(parser.get(), start, end);
  XML_SetCharacterDataHandler(parser.get(), characters);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK) {
    state.xml.error = XML_ErrorString(XML_GetErrorCode(parser.get()));
  }
  return state.xml;
}

}  // namespace pair::plot::test
