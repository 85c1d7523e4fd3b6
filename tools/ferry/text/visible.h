// Text of outside parties (devices, servers, models, files) made fit for a terminal: nothing in it
// moves the cursor, changes colours, hides letters or turns their order around.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ferry::cli {

// For one line. Control characters (C0, DEL, C1), line and paragraph separators, bidirectional and
// other invisible format characters, and bytes that are no UTF-8 become \n, \t, \x1b, \u{202e};
// everything else stays. The joiners U+200C and U+200D stay: scripts and emoji need them.
std::string Visible(std::string_view text);

// The same for text of several lines: \n and \t stay.
std::string VisibleLines(std::string_view text);

// How many columns of a terminal visible text takes: wide letters two, combining marks none.
size_t ColumnsOf(std::string_view visible);

// At most so many columns of visible text, the last one "…" where something was cut. At least one.
std::string CutToColumns(std::string_view visible, size_t most);

}  // namespace ferry::cli
