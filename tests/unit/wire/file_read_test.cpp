#include "proxy/wire/file_read.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/wire/policy.h"
#include "proxy/wire/shell_command.h"

using namespace tare::wire;

TEST_CASE("commands that show a file as it is") {
  for (const auto* line : {"cat a.py",
                           "cat -n src/a.py",
                           "cat 'a b.py'",
                           "cat \"a b.py\"",
                           "cat a\\ b.py",
                           "cat a.py b.py",
                           "/bin/cat a.py",
                           "nl -ba a.py",
                           "head -50 a.py",
                           "head -n 50 a.py",
                           "tail -n +20 a.py",
                           "sed -n '1,200p' a.py",
                           "sed -n 1,200p a.py",
                           "sed --quiet -e 5p a.py",
                           "cd src && cat a.py",
                           "cat a.py; echo done",
                           "ls\ncat a.py",
                           "cat a.py || true",
                           "nl -ba a.py | sed -n '1,80p'",
                           "cat a.py | head -n 20",
                           "cat < a.py",
                           "cat a.py 2>/dev/null",
                           "cat a.py 2>&1",
                           "LC_ALL=C cat a.py",
                           "sudo cat /etc/a.conf",
                           "bash -lc 'cat a.py'",
                           "bash -c \"cd x; sed -n '1,5p' a.py\"",
                           "sh -c 'bash -lc \"cat a\"'",
                           "Get-Content a.ps1",
                           "powershell.exe -Command 'Get-Content a.ps1'",
                           "cmd.exe /c 'type a.c'",
                           "timeout 5 cat a.py",
                           "timeout -k 1 5s sed -n 1,80p a.py",
                           "nice -n 10 cat a.py",
                           "sudo -u app cat a.py",
                           "env -i PATH=/bin cat a.py",
                           "time -p cat a.py",
                           "stdbuf -oL tail -n 20 a.py",
                           "for f in a.py b.py; do cat $f; done",
                           "for f in *.py; do echo $f; head -40 \"$f\"; done",
                           "if [ -f a.py ]; then cat a.py; fi",
                           "[ -f a.py ] && { cat a.py; }",
                           "find . -name '*.py' -exec cat {} +",
                           "find src -name a.py -exec sed -n '1,5p' {} \\;",
                           "ls *.py | xargs cat",
                           "git ls-files '*.py' | xargs -n 1 head -n 20",
                           "ls *.py | xargs cat | head -100",
                           "ssh host 'cat a.py'",
                           "ssh -p 22 host cat a.py",
                           "docker exec -it box cat /app/a.py",
                           "kubectl exec pod -- sh -c 'cat a.py'",
                           "git show HEAD:a.py",
                           "git -C x cat-file -p main:src/a.py",
                           "git show HEAD:a.py | head -50",
                           "awk 'NR>=10 && NR<=20' a.py",
                           "cat a.py | awk 'NR < 20'",
                           "python3 -c \"print(open('a.py').read())\"",
                           "node -e 'console.log(fs.readFileSync(\"a.js\", \"utf8\"))'",
                           "less a.py",
                           "bat -p a.py"}) {
    INFO(line);
    CHECK(shows_file(line));
  }
}

TEST_CASE("commands that do not") {
  for (const auto* line : {"",
                           "cat",
                           "ls -la",
                           "grep -n x a.py",
                           "cat a.py | grep x",
                           "cat a.py | wc -l",
                           "rg x",
                           "sed -i s/a/b/ a.py",
                           "sed s/a/b/ a.py",
                           "sed -n '1,5p'",
                           "head -n 50",
                           "tail -5",
                           "cat a.py > b.py",
                           "cat a.py >> b.py",
                           "cat <<EOF > a.py\nx\nEOF",
                           "cat <<'EOF'",
                           "git show HEAD",
                           "git log -p a.py",
                           "python a.py",
                           "python3 -c 'print(1)'",
                           "timeout 5 make",
                           "find . -name '*.py'",
                           "find . -name '*.py' -exec grep -n x {} +",
                           "ls | xargs rm",
                           "ssh host ls",
                           "docker ps",
                           "for f in *; do wc -l $f; done",
                           "awk '{print $1}'",
                           "echo cat a.py",
                           "cat a.py | python -m json.tool",
                           "bash -lc 'ls'",
                           "bash a.sh",
                           "category a.py",
                           "&& || ; | |",
                           "\"\\"}) {
    INFO(line);
    CHECK_FALSE(shows_file(line));
  }
  CHECK_FALSE(shows_file("cat " + std::string(10000, 'x')));
  std::string nested = "cat a.py";
  for (int i = 0; i < 8; ++i) nested = "bash -c " + nested;
  CHECK_FALSE(shows_file(nested));
}

TEST_CASE("a command as a list of words") {
  CHECK(shows_file(std::vector<std::string>{"cat", "a.py"}));
  CHECK(shows_file(std::vector<std::string>{"bash", "-lc", "cd src && sed -n '1,5p' a.py"}));
  CHECK(shows_file(std::vector<std::string>{"/usr/bin/env", "cat", "a.py"}));
  CHECK_FALSE(shows_file(std::vector<std::string>{"bash", "-lc", "ls"}));
  CHECK_FALSE(shows_file(std::vector<std::string>{"bash", "-lc"}));
  CHECK_FALSE(shows_file(std::vector<std::string>{}));
}

TEST_CASE("tools that read files, by the names that agents give them") {
  for (const auto* tool :
       {"read", "Read", "read_file", "readFile", "ReadFile", "Read-File", "view", "view_file",
        "open_file", "read_many_files", "read_text_file", "mcp__filesystem__read_text_file",
        "functions.read_file", "get_file_contents"}) {
    INFO(tool);
    CHECK(reads_file(tool, ""));
    CHECK(reads_file(tool, "not json"));
  }
  for (const auto* tool : {"", "write_file", "spread", "read_logs", "readme", "grep", "review",
                           "list_files", "bash", "str_replace_based_edit_tool"}) {
    INFO(tool);
    CHECK_FALSE(reads_file(tool, R"({"path":"a.py"})"));
  }
}

TEST_CASE("an edit tool reads when its command is view") {
  for (const auto* tool : {"str_replace_based_edit_tool", "str_replace_editor"}) {
    CHECK(reads_file(tool, R"({"command":"view","path":"/a.py"})"));
    CHECK_FALSE(reads_file(tool, R"({"command":"create","path":"/a.py","file_text":"view"})"));
  }
}

TEST_CASE("a shell's command is looked at in every shape that tools take it in") {
  CHECK(reads_file("exec_command", R"({"cmd":"cat a.py","yield_time_ms":1000})"));
  CHECK(reads_file("bash", R"({"command":"cat a.py"})"));
  CHECK(reads_file("shell", R"({"command":["bash","-lc","cat a.py"],"workdir":"/x"})"));
  CHECK(reads_file("local_shell", R"({"type":"exec","command":["sed","-n","1,9p","a.py"]})"));
  CHECK(reads_file("shell", R"({"commands":["ls","cat a.py"]})"));
  CHECK_FALSE(reads_file("shell", R"({"commands":["ls","wc a.py"]})"));
  CHECK_FALSE(reads_file("shell", R"({"command":["bash",1,"cat a.py"]})"));
  CHECK_FALSE(reads_file("shell", R"({"command":{"cat":"a.py"}})"));
  CHECK_FALSE(reads_file("shell", R"({"command":"cat a.py")"));
  CHECK_FALSE(reads_file("shell", R"(["cat a.py"])"));
  CHECK_FALSE(reads_file("shell", "cat a.py"));
}

TEST_CASE("a call that is wrapped in another counts as what is in it") {
  CHECK(reads_file("multi_tool_use.parallel",
                   R"({"tool_uses":[{"recipient_name":"functions.grep","parameters":{}},)"
                   R"({"recipient_name":"functions.read_file","parameters":{"path":"a"}}]})"));
  CHECK(reads_file("call_tool", R"({"name":"shell","arguments":{"command":"cat a.py"}})"));
  CHECK_FALSE(reads_file("call_tool", R"({"name":"shell","arguments":{"command":"ls"}})"));
  CHECK_FALSE(reads_file("call_tool", R"({"name":"read_file"})"));
  CHECK_FALSE(reads_file("a", R"({"name":"a","args":{"name":"a","args":{"name":"a","args":)"
                              R"({"name":"read","args":{}}}}})"));
}

TEST_CASE("what is done with an output goes by its call and its text") {
  const Policy policy{.compact = {}, .verbatim_tools = {"screenshot", "read_file"}};
  CHECK(kind_of_call(policy, "screenshot", "{}") == CallKind::verbatim_tool);
  CHECK(kind_of_call(policy, "read_file", "{}") == CallKind::verbatim_tool);
  CHECK(kind_of_call(policy, "view", "{}") == CallKind::reads_file);
  CHECK(kind_of_call(policy, "", "") == CallKind::other);
  const std::string source = "int main() {\n  int n = 0;\n  return n;\n}\n";
  CHECK(treatment_of(CallKind::reads_file, source) == Treatment::repeats_only);
  CHECK(treatment_of(CallKind::reads_file, "2 files\nand more\n") == Treatment::compact);
  CHECK(treatment_of(CallKind::other, source) == Treatment::compact);
  CHECK(treatment_of(CallKind::verbatim_tool, source) == Treatment::leave);
  CHECK(treatment_of(CallKind::verbatim_tool, "") == Treatment::leave);
}
