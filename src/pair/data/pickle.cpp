#include "pair/data/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "pair/base/names.h"

// Opcodes are those of Python's pickletools, protocols 0 to 5.

namespace pair::data {
namespace {

using Kind = PickleValue::Kind;

enum class Callable : std::uint8_t { nothing, ordered_dict, size, tensor, tensor_v2, parameter };

struct KnownName {
  std::string_view module;
  std::string_view name;
  Callable callable = Callable::nothing;
  bool storage = false;
  DType dtype = DType::f32;
};

constexpr std::array known_names{
    KnownName{"collections", "OrderedDict", Callable::ordered_dict},
    KnownName{"torch", "Size", Callable::size},
    KnownName{"torch._utils", "_rebuild_tensor", Callable::tensor},
    KnownName{"torch._utils", "_rebuild_tensor_v2", Callable::tensor_v2},
    KnownName{"torch._utils", "_rebuild_parameter", Callable::parameter},
    KnownName{"torch", "DoubleStorage", Callable::nothing, true, DType::f64},
    KnownName{"torch", "FloatStorage", Callable::nothing, true, DType::f32},
    KnownName{"torch", "HalfStorage", Callable::nothing, true, DType::f16},
    KnownName{"torch", "BFloat16Storage", Callable::nothing, true, DType::bf16},
    KnownName{"torch", "LongStorage", Callable::nothing, true, DType::i64},
    KnownName{"torch", "IntStorage", Callable::nothing, true, DType::i32},
    KnownName{"torch", "ShortStorage", Callable::nothing, true, DType::i16},
    KnownName{"torch", "CharStorage", Callable::nothing, true, DType::i8},
    KnownName{"torch", "ByteStorage", Callable::nothing, true, DType::u8},
    KnownName{"torch", "BoolStorage", Callable::nothing, true, DType::boolean},
    KnownName{"torch.storage", "UntypedStorage", Callable::nothing, true, DType::u8},
    // Types of numbers, which some checkpoints hold besides their weights.
    KnownName{"torch", "float64"},
    KnownName{"torch", "float32"},
    KnownName{"torch", "float16"},
    KnownName{"torch", "bfloat16"},
    KnownName{"torch", "int64"},
    KnownName{"torch", "int32"},
    KnownName{"torch", "uint8"},
    KnownName{"torch", "bool"},
    // Classes of the tensors in tar files.
    KnownName{"torch", "FloatTensor"},
    KnownName{"torch", "DoubleTensor"},
    KnownName{"torch", "HalfTensor"},
    KnownName{"torch", "LongTensor"},
    KnownName{"torch", "IntTensor"},
    KnownName{"torch", "ShortTensor"},
    KnownName{"torch", "CharTensor"},
    KnownName{"torch", "ByteTensor"},
};

// A few bytes of a pickle can repeat a tensor with all its sizes, so both are bounded.
constexpr std::size_t most_dimensions = 16;
constexpr std::size_t most_tensors = 1'000'000;

std::string shown_text(std::string_view text) {
  return base::printable(text.substr(0, 80));
}

class Unpickler {
 public:
  Unpickler(BytesView bytes, PersistentIds ids) : bytes_(bytes), ids_(ids) {}

  Pickle run() {
    while (!step()) {
    }
    result_.length = at_;
    return std::move(result_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw RefusedPickle(why); }

  [[noreturn]] void cut_off() const {
    refuse("the pickle ends after " + std::to_string(bytes_.size()) + " bytes without its end mark");
  }

  BytesView take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      cut_off();
    }
    const BytesView taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  std::uint64_t unsigned_number(std::size_t count) {
    std::uint64_t value = 0;
    std::size_t shift = 0;
    for (const std::uint8_t byte : take(count)) {
      value |= std::uint64_t{byte} << shift;
      shift += 8;
    }
    return value;
  }
  std::string_view text(std::uint64_t count) {
    const BytesView taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  std::string_view line() {
    const BytesView rest = bytes_.subspan(at_);
    const auto end = std::ranges::find(rest, static_cast<std::uint8_t>('\n'));
    if (end == rest.end()) {
      cut_off();
    }
    const std::string_view taken = text(static_cast<std::uint64_t>(end - rest.begin()));
    ++at_;
    return taken;
  }

  void push(PickleValue value) { stack_.push_back(value); }
  void push_integer(std::int64_t number) { push({.kind = Kind::integer, .number = number}); }
  void push_text(std::string_view value) { push({.kind = Kind::text, .text = value}); }
  void push_container(Kind kind, std::vector<PickleValue> items = {}) {
    push({.kind = kind, .number = static_cast<std::int64_t>(result_.containers.size())});
    result_.containers.push_back(std::move(items));
  }
  // The stack must not be emptied below the last mark.
  PickleValue pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      refuse("the pickle is damaged: it takes a value from an empty stack");
    }
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleValue& top() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      refuse("the pickle is damaged: it uses a value of an empty stack");
    }
    return stack_.back();
  }
  std::vector<PickleValue> pop_to_mark() {
    if (marks_.empty()) {
      refuse("the pickle is damaged: it has no mark where one is used");
    }
    std::vector<PickleValue> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  std::vector<PickleValue> pop_several(std::size_t count) {
    std::vector<PickleValue> items(count);
    for (std::size_t i = count; i > 0; --i) {
      items[i - 1] = pop();
    }
    return items;
  }
  std::vector<PickleValue>& items_of(const PickleValue& container) {
    return result_.containers[static_cast<std::size_t>(container.number)];
  }
  std::vector<PickleValue>& top_items(Kind kind, const char* what) {
    const PickleValue& container = top();
    if (container.kind != kind) {
      refuse(std::string("the pickle is damaged: it adds to something that is not a ") + what);
    }
    return items_of(container);
  }

  void remember(std::uint64_t place) { memo_[place] = top(); }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) {
      refuse("the pickle is damaged: it recalls a value that it did not store");
    }
    push(found->second);
  }

  void push_name(std::string_view module, std::string_view name) {
    for (std::size_t i = 0; i < known_names.size(); ++i) {
      if (known_names[i].module == module && known_names[i].name == name) {
        push({.kind = Kind::name, .number = static_cast<std::int64_t>(i)});
        return;
      }
    }
    refuse("expected only tensors and plain values, got a reference to '" + shown_text(module) + "." +
           shown_text(name) +
           "', which is not read because a pickle may run code; in Python, torch.save(model.state_dict(), "
           "FILE) writes a file that can be read");
  }

  // LONG1 and LONG4: two's complement of any length.
  std::int64_t long_number(std::uint64_t count) {
    if (count > 8) {
      refuse("expected integers of at most 8 bytes, got one of " + std::to_string(count));
    }
    const std::uint64_t value = unsigned_number(static_cast<std::size_t>(count));
    const std::uint64_t unused = 64 - 8 * count;
    return count == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused;
  }

  const std::vector<PickleValue>& tuple_items(const PickleValue& value, const char* what) {
    if (value.kind != Kind::tuple) {
      refuse(std::string("expected a tuple as ") + what + ", got another value");
    }
    return items_of(value);
  }
  static std::int64_t whole(const PickleValue& value, const char* what) {
    if (value.kind != Kind::integer || value.number < 0) {
      refuse(std::string("expected an integer that is not negative as ") + what + ", got another value");
    }
    return value.number;
  }
  std::vector<std::int64_t> wholes(const PickleValue& value, const char* what) {
    std::vector<std::int64_t> numbers;
    const std::vector<PickleValue>& items = tuple_items(value, what);
    if (items.size() > most_dimensions) {
      refuse("expected tensors of at most " + std::to_string(most_dimensions) + " dimensions, got " +
             std::to_string(items.size()));
    }
    for (const PickleValue& item : items) {
      numbers.push_back(whole(item, what));
    }
    return numbers;
  }

  void push_persistent(const PickleValue& id) {
    if (ids_ == PersistentIds::opaque) {
      push({.kind = Kind::external, .number = static_cast<std::int64_t>(result_.externals.size())});
      result_.externals.push_back(id);
      return;
    }
    const std::vector<PickleValue>& parts = tuple_items(id, "a reference to numbers");
    PickledStorage storage;
    if (parts.size() < 5 || parts.size() > 6 || parts[0].kind != Kind::text || parts[0].text != "storage" ||
        !storage_dtype(parts[1], storage.dtype)) {
      refuse("expected references of the form ('storage', type, key, place, count), got another");
    }
    // Keys are texts, or numbers in early files.
    if (parts[2].kind == Kind::text) {
      storage.key = std::string(parts[2].text);
    } else {
      storage.key = std::to_string(whole(parts[2], "the key of a storage"));
    }
    storage.count = static_cast<std::uint64_t>(whole(parts[4], "the size of a storage"));
    if (parts.size() == 6 && parts[5].kind != Kind::none) {
      const std::vector<PickleValue>& view = tuple_items(parts[5], "a part of a storage");
      if (view.size() != 3) {
        refuse("expected (key, offset, size) as a part of a storage, got a tuple of " +
               std::to_string(view.size()));
      }
      storage.view_offset = static_cast<std::uint64_t>(whole(view[1], "the offset of a storage"));
      storage.view_count = static_cast<std::uint64_t>(whole(view[2], "the size of a storage"));
    }
    push({.kind = Kind::storage, .number = static_cast<std::int64_t>(result_.storages.size())});
    result_.storages.push_back(std::move(storage));
  }

  // callable(*arguments), for the callables that are known.
  void reduce() {
    const PickleValue arguments = pop();
    const PickleValue callable = pop();
    if (callable.kind != Kind::name ||
        known_names[static_cast<std::size_t>(callable.number)].callable == Callable::nothing) {
      refuse("expected only calls that build tensors, got another");
    }
    const std::vector<PickleValue>& given = tuple_items(arguments, "the arguments of a call");
    switch (known_names[static_cast<std::size_t>(callable.number)].callable) {
      case Callable::ordered_dict:
        push_ordered_dict(given);
        break;
      case Callable::size:
        if (given.size() != 1 || (given[0].kind != Kind::tuple && given[0].kind != Kind::list)) {
          refuse("expected a tuple of sizes in torch.Size, got another value");
        }
        push({.kind = Kind::tuple, .number = given[0].number});  // the same items
        break;
      case Callable::tensor:
      case Callable::tensor_v2:
        push_tensor(given);
        break;
      case Callable::parameter:
        // A parameter is its tensor: (data, requires_grad, hooks).
        if (given.empty() || given[0].kind != Kind::tensor) {
          refuse("expected a tensor as a parameter's data, got another value");
        }
        push(PickleValue(given[0]));
        break;
      case Callable::nothing:
        break;
    }
  }

  // OrderedDict(), filled later, or OrderedDict([[key, value], ...]) as Python 2 writes it.
  void push_ordered_dict(const std::vector<PickleValue>& given) {
    std::vector<PickleValue> items;
    if (!given.empty()) {
      if (given.size() != 1 || given[0].kind != Kind::list) {
        refuse("expected a list of pairs in an OrderedDict, got another value");
      }
      // A list may be used again and again.
      copied_ += items_of(given[0]).size();
      if (copied_ > bytes_.size()) {
        refuse("expected dictionaries of their own values, got one list in many");
      }
      for (const PickleValue& pair : items_of(given[0])) {
        if ((pair.kind != Kind::list && pair.kind != Kind::tuple) || items_of(pair).size() != 2) {
          refuse("expected pairs of keys and values in an OrderedDict, got another value");
        }
        items.push_back(items_of(pair)[0]);
        items.push_back(items_of(pair)[1]);
      }
    }
    push_container(Kind::dictionary, std::move(items));
  }

  // (storage, offset, sizes, strides[, requires_grad, hooks[, metadata]])
  void push_tensor(const std::vector<PickleValue>& given) {
    if (given.size() < 4 || given[0].kind != Kind::storage) {
      refuse("expected (storage, offset, sizes, strides) for a tensor, got other arguments");
    }
    PickledTensor tensor;
    tensor.storage = static_cast<std::size_t>(given[0].number);
    tensor.offset = whole(given[1], "a tensor's offset");
    tensor.sizes = wholes(given[2], "a tensor's sizes");
    tensor.strides = wholes(given[3], "a tensor's strides");
    if (tensor.sizes.size() != tensor.strides.size()) {
      refuse("expected a stride per dimension, got " + std::to_string(tensor.strides.size()) + " for " +
             std::to_string(tensor.sizes.size()));
    }
    if (result_.tensors.size() == most_tensors) {
      refuse("expected at most " + std::to_string(most_tensors) + " tensors, got more");
    }
    push({.kind = Kind::tensor, .number = static_cast<std::int64_t>(result_.tensors.size())});
    result_.tensors.push_back(std::move(tensor));
  }

  // One opcode; true at the end.
  bool step() {
    const std::uint8_t opcode = take(1)[0];
    switch (opcode) {
      case 0x80: {  // PROTO
        const std::uint64_t protocol = unsigned_number(1);
        if (protocol > 5) {
          refuse("expected a pickle of protocol 0 to 5, got " + std::to_string(protocol));
        }
        return false;
      }
      case 0x95:  // FRAME
        (void)take(8);
        return false;
      case '.':  // STOP
        result_.value = pop();
        return true;
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return false;
      case '0':  // POP
        if (!marks_.empty() && stack_.size() == marks_.back()) {
          marks_.pop_back();
        } else {
          (void)pop();
        }
        return false;
      case '1':  // POP_MARK
        (void)pop_to_mark();
        return false;
      case 'N':  // NONE
        push({});
        return false;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push({.kind = Kind::boolean, .number = opcode == 0x88 ? 1 : 0});
        return false;
      case 'J':  // BININT
        push_integer(static_cast<std::int32_t>(unsigned_number(4)));
        return false;
      case 'K':  // BININT1
        push_integer(static_cast<std::int64_t>(unsigned_number(1)));
        return false;
      case 'M':  // BININT2
        push_integer(static_cast<std::int64_t>(unsigned_number(2)));
        return false;
      case 0x8a:  // LONG1
        push_integer(long_number(unsigned_number(1)));
        return false;
      case 0x8b:  // LONG4
        push_integer(long_number(unsigned_number(4)));
        return false;
      case 'G': {  // BINFLOAT, big-endian
        std::uint64_t bits = 0;
        for (const std::uint8_t byte : take(8)) {
          bits = bits << 8U | byte;
        }
        push({.kind = Kind::real, .real = std::bit_cast<double>(bits)});
        return false;
      }
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING of Python 2
      case 'B':  // BINBYTES
        push_text(text(unsigned_number(4)));
        return false;
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':   // SHORT_BINSTRING of Python 2
      case 'C':   // SHORT_BINBYTES
        push_text(text(unsigned_number(1)));
        return false;
      case 0x8d:  // BINUNICODE8
        push_text(text(unsigned_number(8)));
        return false;
      default:
        return step_of_containers(opcode);
    }
  }

  bool step_of_containers(std::uint8_t opcode) {
    switch (opcode) {
      case ')':  // EMPTY_TUPLE
        push_container(Kind::tuple);
        return false;
      case 't':  // TUPLE
        push_container(Kind::tuple, pop_to_mark());
        return false;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        push_container(Kind::tuple, pop_several(opcode - std::size_t{0x84}));
        return false;
      case ']':  // EMPTY_LIST
        push_container(Kind::list);
        return false;
      case 'l':  // LIST
        push_container(Kind::list, pop_to_mark());
        return false;
      case 'a': {  // APPEND
        const PickleValue item = pop();
        top_items(Kind::list, "list").push_back(item);
        return false;
      }
      case 'e': {  // APPENDS
        const std::vector<PickleValue> items = pop_to_mark();
        std::vector<PickleValue>& list = top_items(Kind::list, "list");
        list.insert(list.end(), items.begin(), items.end());
        return false;
      }
      case '}':  // EMPTY_DICT
        push_container(Kind::dictionary);
        return false;
      case 'd':  // DICT
        push_container(Kind::dictionary, pairs(pop_to_mark()));
        return false;
      case 's': {  // SETITEM
        const std::vector<PickleValue> pair = pop_several(2);
        std::vector<PickleValue>& items = top_items(Kind::dictionary, "dictionary");
        items.insert(items.end(), pair.begin(), pair.end());
        return false;
      }
      case 'u': {  // SETITEMS
        const std::vector<PickleValue> more = pairs(pop_to_mark());
        std::vector<PickleValue>& items = top_items(Kind::dictionary, "dictionary");
        items.insert(items.end(), more.begin(), more.end());
        return false;
      }
      case 'q':  // BINPUT
        remember(unsigned_number(1));
        return false;
      case 'r':  // LONG_BINPUT
        remember(unsigned_number(4));
        return false;
      case 0x94:  // MEMOIZE
        remember(memo_.size());
        return false;
      case 'h':  // BINGET
        recall(unsigned_number(1));
        return false;
      case 'j':  // LONG_BINGET
        recall(unsigned_number(4));
        return false;
      case 'c': {  // GLOBAL
        const std::string_view module = line();
        push_name(module, line());
        return false;
      }
      case 0x93: {  // STACK_GLOBAL
        const std::vector<PickleValue> parts = pop_several(2);
        if (parts[0].kind != Kind::text || parts[1].kind != Kind::text) {
          refuse("the pickle is damaged: it names something by values that are not texts");
        }
        push_name(parts[0].text, parts[1].text);
        return false;
      }
      case 'P':  // PERSID
        push_persistent({.kind = Kind::text, .text = line()});
        return false;
      case 'Q':  // BINPERSID
        push_persistent(pop());
        return false;
      case 'R':  // REDUCE
        reduce();
        return false;
      case 'b': {  // BUILD: attributes, such as a state dict's versions of modules
        (void)pop();
        if (top().kind != Kind::dictionary) {
          refuse("expected attributes of dictionaries only, got those of another value");
        }
        return false;
      }
      default: {
        constexpr std::string_view digits = "0123456789abcdef";
        refuse(std::string("expected a pickle of plain values, got the opcode 0x") + digits[opcode >> 4U] +
               digits[opcode & 15U]);
      }
    }
  }

  static std::vector<PickleValue> pairs(std::vector<PickleValue> items) {
    if (items.size() % 2 != 0) {
      refuse("the pickle is damaged: a dictionary has a key without a value");
    }
    return items;
  }

  BytesView bytes_;
  PersistentIds ids_;
  std::size_t at_ = 0;
  std::size_t copied_ = 0;  // values of lists that became dictionaries
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, PickleValue> memo_;
  Pickle result_;
};

}  // namespace

Pickle read_pickle(BytesView bytes, PersistentIds ids) {
  return Unpickler(bytes, ids).run();
}

bool storage_dtype(const PickleValue& value, DType& dtype) {
  if (value.kind != Kind::name || !known_names[static_cast<std::size_t>(value.number)].storage) {
    return false;
  }
  dtype = known_names[static_cast<std::size_t>(value.number)].dtype;
  return true;
}

}  // namespace pair::data
