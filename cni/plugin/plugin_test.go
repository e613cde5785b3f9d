// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/cni/pkg/types"

	"github.com/contiv/contiv/cni/plugin"
	"github.com/contiv/contiv/cni/wire"
)

// agent answers every call with exit code 7 and what it was handed.
func agent(t *testing.T, handle http.HandlerFunc) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handle}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return socket
}

// run starts the plugin within this process.
func run(socket, stdin string, environ ...string) (exit int, stdout string) {
	var out bytes.Buffer
	exit = plugin.Plugin{Name: "contivk8s", Socket: socket}.Run(plugin.Process{Environ: environ, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: io.Discard})
	return exit, out.String()
}

// The agent receives the plugin's input and only CNI's variables and those of a trace unchanged, with the plugin's start; the plugin prints the agent's answer unchanged.
func TestHandsOver(t *testing.T) {
	var got wire.Call
	exit := "7"
	socket := agent(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, _ = wire.DecodeCall(body)
		w.Header().Set(wire.HeaderExit, exit)
		_, _ = w.Write([]byte("whatever\n\xff"))
	})
	conf := `{"socket":"` + socket + `"}`
	for _, r := range []struct{ name, socket, stdin string }{
		{"socket of the program", socket, "\x00\xff{ not JSON"},
		{"socket of the configuration", "/nonesuch", conf},
		{"no standard input", socket, ""},
		{"a socket that is none", socket, `{"socket":7}`},
	} {
		got = wire.Call{}
		code, out := run(r.socket, r.stdin, "PATH=/bin", "SECRET=x", "CNI_COMMAND=FLY", "CNI_ARGS=a=b;c=\n", "CNI_NEW=", "TRACEPARENT=00-1-2-01")
		if code != 7 || out != "whatever\n\xff" {
			t.Errorf("%s: want the agent's answer and exit code 7, got %q, %d", r.name, out, code)
		}
		if len(got.Environ) == 0 || !strings.HasPrefix(got.Environ[0], wire.EnvStarted+"=") {
			t.Fatalf("%s: want the plugin's start first, got %q", r.name, got.Environ)
		}
		if s := strings.Join(got.Environ[1:], "|"); s != "CNI_COMMAND=FLY|CNI_ARGS=a=b;c=\n|CNI_NEW=|TRACEPARENT=00-1-2-01" || string(got.Stdin) != r.stdin {
			t.Errorf("%s: the agent got %q and %q", r.name, s, got.Stdin)
		}
	}
	// A version that only the agent knows.
	exit = "0"
	if code, out := run(socket, "", "CNI_COMMAND=VERSION"); code != 0 || !strings.HasPrefix(out, "whatever") {
		t.Errorf("VERSION with an agent: want its answer, got %q, %d", out, code)
	}
}

// Without an agent every operation is to be tried again, in the specification's words; VERSION is answered nevertheless.
func TestAgentAway(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	older := agent(t, http.NotFound)
	broken := agent(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) })
	stdin := `{"cniVersion":"1.1.0","name":"n","type":"contivk8s"}`
	for _, r := range []struct {
		name, socket, command, stdin string
		code                         uint
		text                         string
	}{
		{"ADD", none, "ADD", stdin, types.ErrTryAgainLater, "no such file"},
		{"DEL", none, "DEL", stdin, types.ErrTryAgainLater, none},
		{"DEL without a configuration", none, "DEL", "", types.ErrTryAgainLater, none},
		{"CHECK", none, "CHECK", stdin, types.ErrTryAgainLater, none},
		{"GC", none, "GC", stdin, types.ErrTryAgainLater, none},
		{"STATUS", none, "STATUS", stdin, types.ErrPluginNotAvailable, none},
		{"a socket whose path is too long", "/" + strings.Repeat("x", 200), "DEL", stdin, types.ErrTryAgainLater, "invalid argument"},
		{"an older agent", older, "ADD", stdin, types.ErrTryAgainLater, "upgrade"},
		{"an agent that babbles", broken, "DEL", stdin, types.ErrTryAgainLater, "HTTP status 200"},
	} {
		exit, out := run(r.socket, r.stdin, "CNI_COMMAND="+r.command)
		var e struct {
			types.Error
			CNIVersion string
		}
		if err := json.Unmarshal([]byte(out), &e); err != nil || exit != 1 || e.Code != r.code || !strings.Contains(e.Msg+e.Details, r.text) {
			t.Errorf("%s: want exit 1 and an error with code %d and %q, got %d %s %v", r.name, r.code, r.text, exit, out, err)
		}
		if r.stdin != "" && e.CNIVersion != "1.1.0" {
			t.Errorf("%s: cniVersion: want that of the configuration, got %q", r.name, e.CNIVersion)
		}
	}
	var v struct {
		CNIVersion string
		Supported  []string `json:"supportedVersions"`
	}
	exit, out := run(none, "", "CNI_COMMAND=VERSION")
	if err := json.Unmarshal([]byte(out), &v); err != nil || exit != 0 || v.CNIVersion != "1.1.0" || strings.Join(v.Supported, " ") != strings.Join(wire.Versions(), " ") {
		t.Errorf("VERSION without an agent: want the versions that every agent knows, got %d %s %v", exit, out, err)
	}
	if exit, out := run(none, stdin, "PATH=/bin"); exit != 0 || out != "" {
		t.Errorf("started by a person: want help only on standard error, got %d %q", exit, out)
	}
}

// The plugin waits for an agent that replaces another.
func TestPatience(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	old, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	old.(*net.UnixListener).SetUnlinkOnClose(false) // as one that was killed leaves it
	_ = old.Close()
	served := make(chan error, 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		l, err := net.Listen("unix", socket+".new")
		if err == nil {
			err = os.Rename(socket+".new", socket)
		}
		served <- err
		if err == nil {
			_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(wire.HeaderExit, "0")
				_, _ = w.Write([]byte("added"))
			}))
		}
	}()
	var out bytes.Buffer
	p := plugin.Plugin{Socket: socket, Timeout: 20 * time.Second}
	exit := p.Run(plugin.Process{Environ: []string{"CNI_COMMAND=ADD"}, Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: io.Discard})
	if err := <-served; err != nil || exit != 0 || out.String() != "added" {
		t.Errorf("want the answer of the agent that came, got %d %q (%v)", exit, out.String(), err)
	}
	asked := 0
	ending := agent(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(wire.HeaderExit, "0")
	})
	p = plugin.Plugin{Socket: ending, Timeout: 20 * time.Second}
	if exit := p.Run(plugin.Process{Environ: []string{"CNI_COMMAND=STATUS"}, Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: io.Discard}); exit != 0 || asked != 2 {
		t.Errorf("STATUS of an agent that ends: want it asked again, got %d after %d", exit, asked)
	}
	p = plugin.Plugin{Socket: filepath.Join(t.TempDir(), "none"), Timeout: 100 * time.Millisecond}
	if exit := p.Run(plugin.Process{Environ: []string{"CNI_COMMAND=STATUS"}, Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: io.Discard}); exit != 1 {
		t.Errorf("an agent that does not come: want exit code 1, got %d", exit)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A result that the runtime does not get is no success.
func TestResultThatIsNotRead(t *testing.T) {
	socket := agent(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(wire.HeaderExit, "0")
		_, _ = w.Write([]byte("{}"))
	})
	exit := plugin.Plugin{Socket: socket}.Run(plugin.Process{Environ: []string{"CNI_COMMAND=ADD"}, Stdin: strings.NewReader(""), Stdout: closed{}, Stderr: io.Discard})
	if exit != 1 {
		t.Errorf("want exit code 1, got %d", exit)
	}
}

// Both programs start, and what they import stays little: each package takes time for every container.
func TestPrograms(t *testing.T) {
	for name, path := range map[string]string{"contivk8s": "..", "netcontiv": "../netcontiv"} {
		bin := filepath.Join(t.TempDir(), name)
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, path).CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
		if out, err := exec.Command(bin, "-version").Output(); err != nil || !strings.HasPrefix(string(out), "Version: ") {
			t.Errorf("%s -version: want a version, got %s %v", name, out, err)
		}
		cmd := exec.Command(bin)
		cmd.Env = append(os.Environ(), "CNI_COMMAND=ADD")
		cmd.Stdin = strings.NewReader(`{"socket":"/nonesuch"}`)
		var exit *exec.ExitError
		if out, err := cmd.Output(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), `"code":11`) {
			t.Errorf("%s without an agent: want exit 1 and code 11, got %s %v", name, out, err)
		}
		deps, err := exec.Command("go", "list", "-deps", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(deps)) {
			if p := strings.TrimSpace(line); p == "net" || p == "regexp" || p == "context" || strings.Contains(p, ".") && !strings.HasPrefix(p, "github.com/contiv/contiv/cni") {
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
}
