"""tools/checks/headings.py: a function is defined where its header says, whatever shape its declaration has."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from checks import cpp  # noqa: E402
from checks.headings import check_headings  # noqa: E402


class HeadingsTest(unittest.TestCase):
    def findings(self, **texts):
        """Of a room `room`; a name's _ stands for the dot and __ for the folder."""
        with tempfile.TemporaryDirectory() as folder:
            root, files = pathlib.Path(folder), []
            for key, text in texts.items():
                name = "room/" + key.replace("__", "/").replace("_", ".")
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
                files.append(name)
            return list(check_headings(root, files, ["room"]))

    def names(self, text):
        return [(function.name, function.defined) for function in cpp.functions(text)]

    def test_its_own_file_needs_no_heading(self):
        self.assertEqual(self.findings(
            a_h="namespace n {\nint F(int);\ninline int G() { return 1; }\nstruct S { S(); void M(); };\n}\n",
            a_cc="namespace n {\nint F(int) { return 1; }\nS::S() : x_{1} {}\nvoid S::M() {}\n}\n"), [])

    def test_another_file_has_to_be_named(self):
        header = "namespace n {\nint F(int);\n}\n"
        self.assertEqual(self.findings(a_h=header, deep__b_cc="namespace n { int F(int x) { return x; } }\n"),
                         ["room/a.h:2: 'n::F' is defined in room/deep/b.cc, which no heading says"])
        for heading in ("deep/b.cc", "deep/b.cc: what it does"):
            self.assertEqual(self.findings(a_h=header.replace("int F", f"// ---- {heading}\nint F"),
                                           deep__b_cc="int n::F(int x) { return x; }\n"), [])

    def test_a_heading_has_to_be_true(self):
        body = "namespace n { int F() { return 1; } }\n"
        self.assertEqual(self.findings(a_h="namespace n {\n// ---- c.cc\nint F();\n}\n", b_cc=body, c_cc=""),
                         ["room/a.h:3: 'n::F' stands under room/c.cc and is defined in room/b.cc"])
        self.assertEqual(self.findings(a_h="namespace n {\n// ---- gone.cc\nint F();\n}\n", a_cc=body),
                         ["room/a.h:2: heading names 'gone.cc', which is not there"])
        self.assertEqual(self.findings(a_h="namespace n {\n// ---- b.cc, c.cc\nint F();\n}\n", a_cc=body,
                                       b_cc="", c_cc=""),
                         ["room/a.h:2: heading 'b.cc, c.cc' names 2 files"])

    def test_a_heading_ends_with_the_class_and_with_one_without_a_file(self):
        self.assertEqual(self.findings(
            a_h="struct S {\n  // ---- b.cc\n  void M();\n  // ---- state ----\n  void N();\n};\nvoid F();\n",
            a_cc="void S::N() {}\nvoid F() {}\n", b_cc="void S::M() {}\n"), [])

    def test_what_is_defined_nowhere_is_found(self):
        self.assertEqual(self.findings(a_h="void F();\nstatic int kept;\n", a_cc="static void F() {}\n"),
                         ["room/a.h:1: 'F' is defined nowhere in room"])

    def test_shapes_of_declarations(self):
        self.assertEqual(self.names("""
            template <typename T, int n = (1 > 0)> std::vector<T> Vector(const std::map<int, T>& m);
            [[nodiscard]] bool operator<(const A& a, const A& b);
            [[gnu::cold]] Value Raise(Error error, std::string_view text = "}");
            struct __attribute__((may_alias)) A : B<int> {
              explicit A(int x);
              ~A();
              A(const A&) = default;
              A& operator=(const A&) = delete;
              virtual void Pure() = 0;
              auto operator()(int x) const -> Result<int>;
              friend bool Friend(A a);
              int a = F(1), b{2};
              int (*pointer)(int);
              using Type = int(int);
              enum class Kind { kOne, kTwo } kind;
              struct Inner { void M() const noexcept; } inner;
              operator bool() const { return a < b; }
            };
            FERRY_MACRO(x);
            extern int variable;
            """), [("Vector", False), ("operator<", False), ("Raise", False), ("A::A", False), ("A::~A", False),
                   ("A::A", True), ("A::operator()", False), ("A::Inner::M", False), ("A::operatorbool", True)])

    def test_shapes_of_definitions(self):
        self.assertEqual(self.names("""
            namespace a::b {
            namespace { void Hidden() {} }
            static void Local() { if (x) { } }
            C::C(int x) : x_{x}, y_(x, "{") { Run(); }
            C::~C() = default;
            Result<std::pair<int, int>> C::Get(int x) const& { return {x, 1}; }
            template <> void C::Only<int>() {}
            const Row kRows[] = {{"one", One}, {"two", Two}};
            bool C::operator==(const C& other) const {
            #ifdef ONE
              if (x) {
            #else
              if (y) {
            #endif
                return true;
              }
            }
            extern "C" { int Plain(void) { return R"(})"[0] + '{'; } }
            }
            """), [("a::b::C::C", True), ("a::b::C::~C", True), ("a::b::C::Get", True), ("a::b::C::Only", True),
                   ("a::b::C::operator==", True), ("a::b::Plain", True)])


if __name__ == "__main__":
    unittest.main()
