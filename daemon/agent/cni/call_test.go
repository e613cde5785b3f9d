// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/agent/attach"
)

// call returns the call of a plugin as a runtime makes it.
func call(command, stdin string, vars ...string) wire.Call {
	env := []string{"CNI_COMMAND=" + command, "CNI_CONTAINERID=c1", "CNI_NETNS=/run/netns/none", "CNI_IFNAME=eth0", "CNI_PATH=/opt/cni/bin", "CNI_ARGS=A=B"}
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, v)
	}
	return wire.Call{Environ: env, Stdin: []byte(stdin)}
}

// do carries out a call at the server.
func do(t testing.TB, s *Server, c wire.Call) wire.Answer {
	t.Helper()
	w := post(t, s.Handler(), wire.PathCall, string(c.Encode()))
	var exit int
	if _, err := fmt.Sscan(w.Header().Get(wire.HeaderExit), &exit); err != nil || w.Code != http.StatusOK {
		t.Fatalf("answer: want 200 and an exit code, got %d %v %s", w.Code, w.Header(), w.Body)
	}
	return wire.Answer{Stdout: w.Body.Bytes(), Exit: exit}
}

// skeleton builds a plugin with the CNI library and returns its path.
func skeleton(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "skel")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", bin, "./testdata/skel")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// start carries out a call by a program.
func start(t *testing.T, bin string, c wire.Call) wire.Answer {
	t.Helper()
	cmd := exec.Command(bin)
	cmd.Env = c.Environ
	cmd.Stdin = bytes.NewReader(c.Stdin)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return wire.Answer{Stdout: out, Exit: cmd.ProcessState.ExitCode()}
}

// The agent refuses the calls that the skeleton of the CNI library refuses, with the same errors.
func TestRefusesAsTheLibrary(t *testing.T) {
	const good = `{"cniVersion":"1.1.0","name":"n","type":"contivk8s"}`
	long, library := strings.Repeat("c", 300), skeleton(t)
	conf := func(v string) string { return `{"cniVersion":"` + v + `","name":"n"}` }
	stdins := []string{good, "", "null", "[]", "\x00\xff{", `{"cniVersion":"1.0.0"}`, `{"cniVersion":"1.0.0","name":7}`, `{"cniVersion":7,"name":"n"}`, `{"name":"n"}`,
		`{"cniVersion":"1.0.0","name":"a/b"}`, conf("0.1.0"), conf("0.2.0"), conf("0.3.0"), conf("0.3.1"), conf("0.4.0"), conf("1.0.0"), conf("9.0.0"), conf("x"), conf("1.1")}
	variables := [][]string{{"CNI_CONTAINERID="}, {"CNI_CONTAINERID=../x"}, {"CNI_CONTAINERID=" + long}, {"CNI_IFNAME="}, {"CNI_IFNAME=a/b"}, {"CNI_IFNAME=.."},
		{"CNI_IFNAME=sixteen-letters-"}, {"CNI_NETNS="}, {"CNI_PATH="}, {"CNI_ARGS="}, {"CNI_PATH=", "CNI_NETNS=", "CNI_IFNAME=x y"}, {"CNI_COMMAND="},
		{"CNI_NETNS=/proc/thread-self/ns/net"}, {"CNI_NETNS=/proc/self/ns/net", "CNI_NETNS_OVERRIDE=TRUE"}, {"CNI_NETNS=/proc/self/ns/net", "CNI_NETNS_OVERRIDE=no"}}
	for _, command := range []string{"ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION", "add", "DANCE"} {
		var calls []wire.Call
		for _, stdin := range stdins {
			calls = append(calls, call(command, stdin))
		}
		for _, vars := range variables {
			calls = append(calls, call(command, good, vars...))
		}
		for _, c := range calls {
			s := server(&engine{})
			for _, id := range []string{"c1", long} {
				s.Attacher.(*engine).got[id] = attach.Request{}
			}
			want, got := start(t, library, c), do(t, s, c)
			same := want.Exit == got.Exit && bytes.Equal(want.Stdout, got.Stdout)
			if want.Exit != 0 {
				var a, b types.Error
				same = json.Unmarshal(want.Stdout, &a) == nil && json.Unmarshal(got.Stdout, &b) == nil && a.Code == b.Code && got.Exit == want.Exit
				if !strings.HasPrefix(a.Msg, "plugin version does not allow") { // ours lists the versions there too
					same = same && a == b
				}
			} else if command != "VERSION" {
				same = got.Exit == 0
			}
			if !same {
				t.Errorf("%q %s: want as the library\n%d %s\ngot\n%d %s", c.Environ, c.Stdin, want.Exit, want.Stdout, got.Exit, got.Stdout)
			}
		}
	}
}

// The result is printed in the version of the configuration, and an error names it.
func TestVersions(t *testing.T) {
	if all := version.All.SupportedVersions(); !slices.Equal(all, wire.Versions()) {
		t.Errorf("versions that plugins report without their agent: want %v, got %v", all, wire.Versions())
	}
	for v, want := range map[string]string{
		"0.1.0": `"ip4":{"ip":"10.1.1.5/24","gateway":"10.1.1.254","routes":[{"dst":"0.0.0.0/0","gw":"10.1.1.254"}]},"ip6":{"ip":"2001:db8::5/64"}`,
		"0.2.0": `"ip4":{"ip":"10.1.1.5/24"`,
		"0.3.1": `"ips":[{"version":"4","interface":1,"address":"10.1.1.5/24","gateway":"10.1.1.254"}`,
		"0.4.0": `"ips":[{"version":"4","interface":1,"address":"10.1.1.5/24"`,
		"1.0.0": `"ips":[{"address":"10.1.1.5/24","gateway":"10.1.1.254","interface":1}`,
		"1.1.0": `"interfaces":[{"mtu":1450,"name":"vvx"}`,
	} {
		conf := `{"cniVersion":"` + v + `","name":"n"}`
		a := do(t, server(&engine{}), call("ADD", conf))
		var compact bytes.Buffer
		if err := json.Compact(&compact, a.Stdout); err != nil || a.Exit != 0 || !strings.Contains(compact.String(), `"cniVersion":"`+v+`"`) || !strings.Contains(compact.String(), want) {
			t.Errorf("%s: want %s, got %d %s", v, want, a.Exit, compact.String())
		}
		a = do(t, server(&engine{err: errors.New("broken")}), call("ADD", conf))
		var e refusal
		if err := json.Unmarshal(a.Stdout, &e); err != nil || a.Exit != 1 || e.CNIVersion != v || e.Code != types.ErrTryAgainLater || e.Msg != "broken" {
			t.Errorf("%s: want an error of that version, got %d %s", v, a.Exit, a.Stdout)
		}
	}
}

// STATUS distinguishes an agent whose containers may have lost connectivity from one that only accepts no new containers.
func TestStatus(t *testing.T) {
	conf := `{"cniVersion":"1.1.0","name":"n"}`
	s := server(&engine{})
	if a := do(t, s, call("STATUS", conf)); a.Exit != 0 || len(a.Stdout) != 0 {
		t.Errorf("ready: want nothing, got %d %s", a.Exit, a.Stdout)
	}
	s.Waiting = func() []string { return []string{"store"} }
	for cut, want := range map[string]uint{"": types.ErrPluginNotAvailable, "cut": types.ErrLimitedConnectivity} {
		s.Cut = func() bool { return cut != "" }
		var e types.Error
		if a := do(t, s, call("STATUS", conf)); json.Unmarshal(a.Stdout, &e) != nil || a.Exit != 1 || e.Code != want || !strings.Contains(e.Details, "store") {
			t.Errorf("%q: want code %d with the reason, got %d %s", cut, want, a.Exit, a.Stdout)
		}
	}
	if a := do(t, s, call("ADD", conf)); a.Exit != 0 {
		t.Errorf("ADD while the store is away: want it tried, got %s", a.Stdout)
	}
}

// A call waits for missing parts of the agent, at most for WaitTimeout.
func TestPatience(t *testing.T) {
	conf := `{"cniVersion":"1.1.0","name":"n"}`
	for _, command := range []string{"STATUS", "ADD"} {
		s := server(&engine{})
		looks := 0
		s.Starting = func() []string {
			if looks++; looks < 3 {
				return []string{"store"}
			}
			return nil
		}
		s.WaitTimeout = time.Minute
		if a := do(t, s, call(command, conf)); a.Exit != 0 {
			t.Errorf("%s while something is missing for a moment: got %d %s", command, a.Exit, a.Stdout)
		}
		s.Starting, s.WaitTimeout = func() []string { return []string{"store"} }, 50*time.Millisecond
		if a := do(t, s, call(command, conf)); a.Exit != 1 || !strings.Contains(string(a.Stdout), "store") {
			t.Errorf("%s while something stays missing: got %d %s", command, a.Exit, a.Stdout)
		}
	}
}

// A body that is not a call is refused with the error of the specification.
func TestNotACall(t *testing.T) {
	for _, body := range []string{"", "CNI_COMMAND=ADD", "a\x00", strings.Repeat("x", wire.MaxCall+1)} {
		w := post(t, server(&engine{}).Handler(), wire.PathCall, body)
		var e types.Error
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Header().Get(wire.HeaderExit) != "1" || e.Code != types.ErrIOFailure {
			t.Errorf("%.20q: want exit 1 and code 5, got %v %s", body, w.Header(), w.Body)
		}
	}
}
