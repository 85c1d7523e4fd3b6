// Libraries of the system that are loaded when something first needs them, so that a program which
// never does starts without them.
//
//   #define FERRY_LETTERS(F) F(utf8proc_iterate) F(utf8proc_tolower)
//   FERRY_LIBRARY_TABLE(Letters, FERRY_LETTERS)
//   const Result<Letters>& LoadLetters() {
//     static const auto letters = sys::LoadTable<Letters>({"libutf8proc.so.2"}, "libutf8proc2");
//     return letters;
//   }
#pragma once

#include <initializer_list>

#include "common/base/status.h"

namespace ferry::sys {

// A loaded library; it stays for the life of the process, and so do its functions. Any thread.
class SharedLibrary {
 public:
  // The first of `names` (file names as the system's loader takes them) that can be loaded. Where
  // none can: kUnsupported with the first name, `package` (Debian's, that has it) and the loader's
  // reason. FERRY_WITHOUT_LIBRARIES, names joined by ':', are as if they were missing.
  static Result<SharedLibrary> Open(std::initializer_list<const char*> names, const char* package);

  // The address of `name`; kUnsupported where the library has none.
  Result<void*> Find(const char* name) const;

 private:
  SharedLibrary(void* handle, const char* file) : handle_(handle), file_(file) {}
  void* handle_;
  const char* file_;
};

// A table of the functions of one library; the error is that of Open or Find.
template <typename Table>
Result<Table> LoadTable(std::initializer_list<const char*> names, const char* package) {
  FERRY_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open(names, package));
  Table table;
  FERRY_TRY(table.Fill(library));
  return table;
}

}  // namespace ferry::sys

// A struct of pointers to the functions of `LIST`, named and typed as the header of their library
// declares them (where it defines a name as a macro of another, by that other), null until Fill.
#define FERRY_LIBRARY_TABLE(Table, LIST)                      \
  struct Table {                                              \
    LIST(FERRY_LIBRARY_MEMBER)                                \
    Status Fill(const ::ferry::sys::SharedLibrary& library) { \
      LIST(FERRY_LIBRARY_FIND)                                \
      return OkStatus();                                      \
    }                                                         \
  };
#define FERRY_LIBRARY_MEMBER(name) decltype(&::name) name = nullptr;
#define FERRY_LIBRARY_FIND(name)                                                         \
  {                                                                                      \
    FERRY_ASSIGN_OR_RETURN(void* const address, library.Find(FERRY_LIBRARY_TEXT(name))); \
    this->name = reinterpret_cast<decltype(this->name)>(address);                        \
  }
#define FERRY_LIBRARY_TEXT(name) FERRY_LIBRARY_TEXT_INNER(name)
#define FERRY_LIBRARY_TEXT_INNER(name) #name
