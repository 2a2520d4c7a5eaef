// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/ptx_lexer.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace fakecuda {
namespace {

bool Letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool Digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// A number at text[at]; at moves past it.
Token Number(const std::string& text, size_t& at, int line) {
  Token t;
  t.kind = Token::kNumber;
  t.line = line;
  const char* start = text.c_str() + at;
  char* end = nullptr;
  const char mark = start[0] == '0' ? start[1] : '\0';
  if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D') {
    t.number = mark == 'f' || mark == 'F' ? 'f' : 'd';
    t.bits = std::strtoull(start + 2, &end, 16);
  } else if (mark == 'x' || mark == 'X') {
    t.bits = std::strtoull(start + 2, &end, 16);
  } else if (mark == 'b' || mark == 'B') {
    t.bits = std::strtoull(start + 2, &end, 2);
  } else {
    const char* p = start;
    while (Digit(*p)) ++p;
    if (*p == '.' || *p == 'e' || *p == 'E') {
      t.number = 'd';
      t.bits = std::bit_cast<uint64_t>(std::strtod(start, &end));
    } else {
      t.bits = std::strtoull(start, &end, start[0] == '0' ? 8 : 10);
    }
  }
  if (*end == 'U') ++end;
  t.text = std::string(start, static_cast<size_t>(end - start));
  at += static_cast<size_t>(end - start);
  return t;
}

}  // namespace

std::vector<Token> LexPtx(const std::string& text) {
  std::vector<Token> out;
  int line = 1;
  const size_t n = text.size();
  for (size_t i = 0; i < n && text[i] != '\0';) {
    const char c = text[i];
    if (c == '\n') {
      ++line, ++i;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '/' && i + 1 < n && text[i + 1] == '/') {
      while (i < n && text[i] != '\n') ++i;
    } else if (c == '/' && i + 1 < n && text[i + 1] == '*') {
      for (i += 2; i + 1 < n && !(text[i] == '*' && text[i + 1] == '/'); ++i) line += text[i] == '\n';
      i += 2;
    } else if (c == '"') {
      const size_t end = text.find('"', i + 1);
      if (end == std::string::npos) throw PtxError(line, "expected a closing quote, got the end of the text");
      out.push_back({Token::kString, 'i', text.substr(i + 1, end - i - 1), 0, line});
      i = end + 1;
    } else if (Digit(c)) {
      out.push_back(Number(text, i, line));
    } else if (Letter(c)) {
      const size_t start = i;
      while (i < n && (Letter(text[i]) || Digit(text[i]) || (text[i] == ':' && i + 1 < n && text[i + 1] == ':'))) {
        i += text[i] == ':' ? 2 : 1;
      }
      out.push_back({Token::kWord, 'i', text.substr(start, i - start), 0, line});
    } else {
      out.push_back({Token::kMark, 'i', std::string(1, c), 0, line});
      ++i;
    }
  }
  out.push_back({Token::kEnd, 'i', "the end of the text", 0, line});
  return out;
}

}  // namespace fakecuda
