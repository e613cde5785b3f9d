package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containernetworking/cni/pkg/types"
)

// binary builds the plugin.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "contivk8s")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// agent answers every request with the text that answers holds for its path.
func agent(t *testing.T, answers map[string]string) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(answers[r.URL.Path]))
	})}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return socket
}

// TestEveryFailureIsJSON starts the plugin with whatever a runtime may get wrong: on failure stdout is one error object.
func TestEveryFailureIsJSON(t *testing.T) {
	bin := binary(t)
	broken := agent(t, map[string]string{"/cni/add": "{}", "/cni/del": "not JSON", "/cni/check": `{"error":{"code":999,"msg":"differs"}}`})
	conf := func(version, socket string) string {
		return `{"cniVersion":"` + version + `","name":"n","type":"contivk8s","socket":"` + socket + `"}`
	}
	none := filepath.Join(t.TempDir(), "none")
	rows := []struct {
		name, command, stdin string
		env                  []string
		code                 uint
	}{
		{"garbage", "ADD", "\x00\xff{", nil, types.ErrDecodingFailure},
		{"nothing", "ADD", "", nil, types.ErrDecodingFailure},
		{"wrong types", "DEL", `{"cniVersion":"1.0.0","name":"n","tenant":7}`, nil, types.ErrDecodingFailure},
		{"no name", "ADD", `{"cniVersion":"1.0.0"}`, nil, types.ErrInvalidNetworkConfig},
		{"future version", "ADD", conf("9.0.0", none), nil, types.ErrIncompatibleCNIVersion},
		{"unknown command", "DANCE", conf("1.0.0", none), nil, types.ErrInvalidEnvironmentVariables},
		{"no container", "ADD", conf("1.0.0", none), []string{"CNI_CONTAINERID="}, types.ErrInvalidEnvironmentVariables},
		{"bad container", "ADD", conf("1.0.0", none), []string{"CNI_CONTAINERID=../x"}, types.ErrInvalidEnvironmentVariables},
		{"bad interface", "ADD", conf("1.0.0", none), []string{"CNI_IFNAME=a/b"}, types.ErrInvalidEnvironmentVariables},
		{"no agent, ADD", "ADD", conf("1.0.0", none), nil, types.ErrTryAgainLater},
		{"no agent, DEL", "DEL", conf("0.3.1", none), nil, types.ErrTryAgainLater},
		{"no agent, GC", "GC", conf("1.1.0", none), nil, types.ErrTryAgainLater},
		{"no agent, STATUS", "STATUS", conf("1.1.0", none), nil, types.ErrPluginNotAvailable},
		{"agent without a result", "ADD", conf("1.0.0", broken), nil, types.ErrInternal},
		{"agent that babbles", "DEL", conf("1.0.0", broken), nil, types.ErrTryAgainLater},
		{"agent's own error", "CHECK", conf("1.0.0", broken), nil, types.ErrInternal},
	}
	for _, r := range rows {
		cmd := exec.Command(bin)
		cmd.Env = append(append(os.Environ(), "CNI_COMMAND="+r.command, "CNI_CONTAINERID=c1", "CNI_IFNAME=eth0", "CNI_NETNS=/run/netns/x",
			"CNI_PATH=/opt/cni/bin"), r.env...)
		cmd.Stdin = strings.NewReader(r.stdin)
		var out bytes.Buffer
		cmd.Stdout = &out
		err := cmd.Run()
		var exit *exec.ExitError
		var e types.Error
		if !errors.As(err, &exit) || json.Unmarshal(out.Bytes(), &e) != nil || e.Code != r.code || e.Msg == "" {
			t.Errorf("%s: want exit 1 and an error object with code %d, got %v %s", r.name, r.code, err, out.String())
		}
	}
}

func TestVersions(t *testing.T) {
	bin := binary(t)
	cmd := exec.Command(bin)
	cmd.Env = append(os.Environ(), "CNI_COMMAND=VERSION")
	out, err := cmd.Output()
	var v struct {
		Supported []string `json:"supportedVersions"`
	}
	if err != nil || json.Unmarshal(out, &v) != nil || strings.Join(v.Supported, " ") != "0.3.1 0.4.0 1.0.0 1.1.0" {
		t.Errorf("VERSION: want 0.3.1 0.4.0 1.0.0 1.1.0, got %s %v", out, err)
	}
	if out, err := exec.Command(bin, "-version").Output(); err != nil || !strings.HasPrefix(string(out), "Version: ") {
		t.Errorf("-version: want a version, got %s %v", out, err)
	}
}
