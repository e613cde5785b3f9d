// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

func TestVariables(t *testing.T) {
	var out bytes.Buffer
	var name, port string
	var quiet bool
	var hosts []string
	s := New("x", "X_", &out)
	s.String(&port, "port", "PORT", "80", "where it listens")
	s.String(&name, "name", "", "", "what has no variable")
	s.Bool(&quiet, "quiet", "QUIET", "say nothing", "q2")
	s.List(&hosts, "hosts", "HOSTS", "who")
	if err := s.Parse([]string{"--variables"}, nil); !errors.Is(err, ErrHelp) {
		t.Fatalf("want ErrHelp, got %v", err)
	}
	var got []Variable
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	want := []Variable{
		{Name: "X_CONFIG", Flag: "config", Usage: "configuration file, which must exist, in place of x.yaml in --config-dir"},
		{Name: "X_CONFIG_DIR", Flag: "config-dir", Usage: "directory of the configuration files: x.yaml, conf.d/*.yaml; empty for none", Default: "/etc/contiv"},
		{Name: "X_HOSTS", Flag: "hosts", Usage: "who"},
		{Name: "X_PORT", Flag: "port", Usage: "where it listens", Default: "80"},
		{Name: "X_QUIET", Flag: "quiet", Usage: "say nothing (also --q2)", Default: "false"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("want %v\n got %v", want, got)
	}
}
