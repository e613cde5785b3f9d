// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/model/twice"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// result is what one command line did.
type result struct {
	code     int
	out, err string
}

// netctl runs one command line against url.
func netctl(t *testing.T, ctx context.Context, url string, args ...string) result {
	t.Helper()
	return netctlFed(t, ctx, url, "", args...)
}

// netctlFed is netctl with a standard input.
func netctlFed(t *testing.T, ctx context.Context, url, in string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	f := &Factory{
		Streams: term.Streams{In: strings.NewReader(in), Out: &out, Err: &errs, Now: func() time.Time { return time.Unix(0, 0).UTC() },
			Secret: func() (string, error) { return "correct horse", nil }},
		Home: t.TempDir(), Getenv: func(name string) string { return map[string]string{"NETMASTER": url}[name] },
		Self: model.Version{Version: "1.0", GitCommit: "abc", BuildTime: "today"}, Actor: func() string { return "ann@laptop" },
	}
	code := Run(ctx, f, args)
	for line := range strings.Lines(errs.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "error: "); ok && twice.Said(text) != "" {
			t.Errorf("netctl %s says %q twice: %s", strings.Join(args, " "), twice.Said(text), text)
		}
	}
	return result{code, out.String(), errs.String()}
}

// One session, in order: command line, exit code, what is printed, and a part of what is complained about.
func TestSession(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	steps := []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"tenant ls", 0, "Name\n------\ndefault\n", ""},
		{"tenant create blue", 0, "Creating tenant: blue\n", ""},
		{"tenant ls -q", 0, "blue\ndefault\n", ""},
		{"network ls", 0, "Tenant  Network  Nw Type  Encap type  Packet tag  Subnet   Gateway  IPv6Subnet  IPv6Gateway  Cfgd Tag   VNI  Used  Free\n" +
			"------  -------  -------  ----------  ----------  -------  ------   ----------  -----------  ---------  ---  ----  ----\n", ""},
		{"net create n1 -subnet 10.1.1.0/24 -g 10.1.1.254", 0, "Creating network default:n1\n", ""},
		{"network create -t blue --subnet=10.1.1.0/24 -e vlan -p 100 -s6 2016:430::/100 -tag x.y n2", 0, "Creating network blue:n2\n", ""},
		{"net ls -a", 0, "Tenant   Network  Nw Type  Encap type  Packet tag  Subnet       Gateway     IPv6Subnet      IPv6Gateway  Cfgd Tag   VNI  Used  Free\n" +
			"------   -------  -------  ----------  ----------  -------      ------      ----------      -----------  ---------  ---  ----  ----\n" +
			"blue     n2       data     vlan        100         10.1.1.0/24              2016:430::/100               x.y        100  0     254\n" +
			"default  n1       data     vxlan       0           10.1.1.0/24  10.1.1.254                                          1    0     253\n", ""},
		{"net ls -o name -a", 0, "network/blue:n2\nnetwork/default:n1\n", ""},
		{"net ls -q -a", 0, "n2\nn1\n", ""},
		{"net ls -o jsonpath={[0].subnet}", 0, "10.1.1.0/24\n", ""},
		{"net ls -t absent", 3, "", "tenant not found"},
		{"net ls -o xml", 1, "", "output format"},
		{"network create bad", 1, "", "Subnet is required"},
		{"network create bad -s 10.2.1.0/24 -g notanip", 1, "", "--gateway: got notanip"},
		{"network create bad -s 10.2.1.0/99", 3, "", "subnet string invalid format"},
		{"network create n1", 1, "", "Subnet is required"},
		{"network create", 1, "", "Network name required"},
		{"network create n3 --colour red", 1, "", "unknown flag"},
		{"network frobnicate", 1, "", "frobnicate"},
		{"frobnicate", 1, "", "frobnicate"},
		{"group create n1 web -r 10.1.1.10-10.1.1.20", 0, "Creating EndpointGroup default:web\n", ""},
		{"group ls", 0, "Tenant   Group  Network  IP Pool              CfgdTag  Policies  Network profile  Endpoints\n" +
			"------   -----  -------  -------              -------  --------  ---------------  ---------\n" +
			"default  web    n1       10.1.1.10-10.1.1.20                                      0\n", ""},
		{"group rm nothing", 3, "", "endpointGroup not found"},
		{"network rm n1", 3, "Deleting network default:n1\n", "cannot delete n1 has 1 endpoint groups"},
		{"group rm web", 0, "", ""},
		{"network rm n1", 0, "Deleting network default:n1\n", ""},
		{"net ls --json", 0, "[]\n", ""},
		{"global info", 0, "Fabric mode: default\nForward mode: bridge\nARP mode: proxy\nVlan Range: 1-4094\nVxlan range: 1-10000\nPrivate subnet: 172.19.0.0/16\nHost access: private\n", ""},
		{"global set -vlan-range 1-800 -a flood", 0, "", ""},
		{"global set -v 1-900 --wait=1s", 0, "", ""},
		{"global set --fwd-mode routing", 3, "", "Unable to update forwarding mode due to existing 1 vlans"},
		{"endpoint inspect nothing", 3, "", "endpoint not found"},
		{"version", 0, "Client Version:\nVersion: 1.0\nGitCommit: abc\nBuildTime: today\n\nServer Version:\nVersion: test\nGitCommit: 0000000\nBuildTime: never\n", ""},
		{"--version", 0, "netctl version \nVersion: 1.0\nGitCommit: abc\nBuildTime: today\n", ""},
		{"tenant rm blue", 3, "Deleting tenant blue\n", "has 1 networks"},
	}
	for _, s := range steps {
		got := netctl(t, context.Background(), m.URL, strings.Fields(s.line)...)
		if got.code != s.code || s.code == 0 && got.err != "" || !strings.Contains(got.err, s.err) {
			t.Errorf("netctl %s: want exit %d and %q, got %d and %q", s.line, s.code, s.err, got.code, got.err)
		}
		if got.out != s.out {
			t.Errorf("netctl %s:\nwant\n%s\ngot\n%s", s.line, s.out, got.out)
		}
	}
}

func TestEndpointList(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	netctl(t, context.Background(), m.URL, "network", "create", "n1", "-s", "10.1.1.0/24")
	m.Endpoint(t, "default", "n1", "", "c1", "")
	m.Endpoint(t, "default", "n1", "", "c2", "")
	got := netctl(t, context.Background(), m.URL, "endpoint", "ls", "--network", "n1")
	want := "Endpoint  Network     Group  IP Address  Host  Container\n" +
		"--------  -------     -----  ----------  ----  ---------\n" +
		"c1        n1.default         10.1.1.1    h1\n" +
		"c2        n1.default         10.1.1.2    h1\n"
	if got.out != want {
		t.Errorf("want\n%s\ngot\n%s", want, got.out)
	}
	if got := netctl(t, context.Background(), m.URL, "ep", "ls", "--host", "h2", "-q"); got.out != "" {
		t.Errorf("endpoints on h2: want none, got %q", got.out)
	}
	for _, line := range []string{"ep ls -o wide", "describe ep c1", "describe network n1"} { // the API has labels as Go prints a map
		if got := netctl(t, context.Background(), m.URL, strings.Fields(line)...); got.code != 0 || strings.Contains(got.out, "map[") {
			t.Errorf("netctl %s: want labels as selectors are written, got %+v", line, got)
		}
	}
	nodes := netctl(t, context.Background(), m.URL, "node", "ls")
	if !strings.Contains(nodes.out, "h1") || !strings.Contains(nodes.out, "not registered, but 2 endpoints are on it") {
		t.Errorf("a host with endpoints and no agent must be listed, got\n%s", nodes.out)
	}
}

// lines is a writer that hands over what is written, line by line.
type lines struct{ to chan string }

func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l.to <- strings.TrimSpace(line)
	}
	return len(p), nil
}

func TestWatchList(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out := lines{make(chan string, 100)}
	f := &Factory{
		Streams: term.Streams{Out: out, Err: &bytes.Buffer{}, Now: time.Now},
		Home:    t.TempDir(), Getenv: func(string) string { return m.URL },
	}
	done := make(chan int)
	go func() { done <- Run(ctx, f, []string{"network", "ls", "--watch"}) }()
	wait := func(text string) {
		t.Helper()
		for {
			select {
			case line := <-out.to:
				if strings.HasPrefix(line, text) {
					return
				}
			case <-ctx.Done():
				t.Fatalf("no line begins with %q", text)
			}
		}
	}
	wait("------")
	netctl(t, ctx, m.URL, "network", "create", "n1", "-s", "10.1.1.0/24")
	wait("added    default  n1")
	netctl(t, ctx, m.URL, "network", "rm", "n1")
	wait("deleted  default  n1")
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("a watch that is ended: want exit 0, got %d", code)
	}
}

func TestUnreachable(t *testing.T) {
	tests := []struct {
		url  string
		line []string
		code int
	}{
		{"http://127.0.0.1:1", []string{"version"}, 2},
		{"127.0.0.1:9999", []string{"tenant", "ls"}, 1},
	}
	for _, test := range tests {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // do not be patient
		got := netctl(t, ctx, test.url, test.line...)
		if got.code != test.code || got.err == "" {
			t.Errorf("netctl %v at %s: want exit %d and a reason, got %d %q", test.line, test.url, test.code, got.code, got.err)
		}
	}
}
