// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/deploy/image"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// Parts of the suite to run, and their network; the peer is -pod-network bridge -kube-proxy.
var (
	podNetwork = flag.String("pod-network", kube.NetworkContiv, "network of pods in TestEndToEnd: contiv or bridge")
	kubeProxy  = flag.Bool("kube-proxy", false, "run kube-proxy in TestEndToEnd")
	focus      = flag.String("focus", `\[sig-network\] (\[Feature:IPv6DualStack\]|Netpol|Services|Networking|EndpointSlice|HostPort|Proxy|DNS|Traffic Distribution|API Server|Connectivity)`, "regular expression of the tests of the suite that TestEndToEnd runs")
	procs      = flag.Int("procs", 4, "`number` of the suite's tests that run at once")
)

// summaries is the directory of what TestEndToEnd has seen, below the root of the source tree: one directory a network.
const summaries = ".cache/kubernetes/e2e"

// outcome is how a test of the suite ended.
type outcome struct {
	name, state string
	took        time.Duration
	reason      string
}

// The network part of Kubernetes' own end-to-end suite passes, but for what exceptions.txt says. Its results are below summaries, one
// line a test, beside the suite's log and report.
func TestEndToEnd(t *testing.T) {
	rules := exceptions(t, "exceptions.txt")
	if *podNetwork == kube.NetworkBridge {
		rules = append(rules, exception{"skip", regexp.MustCompile("Netpol"), "the network has no policies"})
	}
	p := lab.Plan{Name: "ke2e", Kubernetes: &lab.Kubernetes{Network: *podNetwork, Proxy: *kubeProxy, CoreDNS: true}}
	c := start(t, p)
	c.importSuite()
	dir := filepath.Join(root(t), summaries, *podNetwork)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	results := c.suite(dir, rules)
	if len(results) == 0 {
		t.Fatal("no test of the suite has run")
	}
	file := filepath.Join(dir, "summary.txt")
	if err := os.WriteFile(file, []byte(summary(results)), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\nall of it: %s", strings.SplitN(summary(results), "\n", 2)[0], file)
	for _, r := range results {
		allowed := slices.ContainsFunc(rules, func(e exception) bool { return e.verb == "fail" && e.name.MatchString(r.name) })
		switch {
		case r.state != "passed" && !allowed:
			t.Errorf("%s: %s: %s", r.name, r.state, r.reason)
		case r.state == "passed" && allowed:
			t.Logf("%s passes, though exceptions.txt says that it may fail", r.name)
		}
	}
}

// exception is a line of exceptions.txt.
type exception struct {
	verb string // skip or fail
	name *regexp.Regexp
	why  string
}

func exceptions(t *testing.T, file string) (out []exception) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shape := regexp.MustCompile(`^(skip|fail) (.+?)  +(\S.*)$`)
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' {
			m := shape.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: got %q, want skip or fail, a regular expression, two blanks, and a reason", file, line)
			}
			name, err := regexp.Compile(m[2])
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out = append(out, exception{m[1], name, m[3]})
		}
	}
	return out
}

// importSuite gives every host the images that the suite asks for, made of this machine's programs.
func (c *cluster) importSuite() {
	c.t.Helper()
	text, err := output(exec.Command(filepath.Join(c.Kubernetes.Bin, "network.test"), "--list-images"))
	if err != nil {
		c.t.Fatalf("ask the suite for its images: %v; make kubernetes builds it", err)
	}
	tags := map[string][]string{} // by the base name of the image
	for ref := range strings.FieldsSeq(text) {
		base, _, _ := strings.Cut(path.Base(ref), ":")
		tags[base] = append(tags[base], ref)
	}
	all := slices.Concat(tags["agnhost"], tags["busybox"], tags["nginx"], tags["glibc-dns-testing"], tags["nonroot"], tags["pause"])
	if len(all) == 0 {
		c.t.Fatalf("none of the suite's images is known: %s", text)
	}
	made, err := c.Agnhost(all[0], all[1:]...)
	if err == nil {
		err = c.Import(c.t.Context(), []*image.Image{made}...)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// suite runs the suite, which leaves its log and report.json in dir, and returns how each of its tests that ran has ended.
func (c *cluster) suite(dir string, rules []exception) (out []outcome) {
	c.t.Helper()
	args := []string{"run", fmt.Sprint("--procs=", *procs), "--focus=" + *focus, "--timeout=4h", "--no-color", "--succinct", "--json-report=report.json", "--output-dir=" + dir}
	for _, e := range rules {
		if e.verb == "skip" {
			args = append(args, "--skip="+e.name.String())
		}
	}
	args = append(args, filepath.Join(c.Kubernetes.Bin, "network.test"), "--", "--provider=local", "--kubeconfig="+c.Kubeconfig(),
		"--kubectl-path="+filepath.Join(c.Kubernetes.Bin, "kubectl"), "--num-nodes=2", "--report-dir="+dir)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	run := exec.CommandContext(c.t.Context(), filepath.Join(c.Kubernetes.Bin, "ginkgo"), args...)
	run.Stdout, run.Stderr = log, log
	ran := run.Run() // not a success when one of the tests is not
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		c.t.Fatalf("the suite: %v: %.4000s", cmp.Or(ran, err), said)
	}
	return outcomes(c.t, text)
}

// outcomes reads ginkgo's report.
func outcomes(t *testing.T, text []byte) (out []outcome) {
	t.Helper()
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeType, LeafNodeText, State string
			RunTime                           time.Duration
			Failure                           struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for _, r := range s.SpecReports {
			if r.LeafNodeType == "It" && r.State != "skipped" && r.State != "pending" {
				name := strings.Join(append(r.ContainerHierarchyTexts, r.LeafNodeText), " ")
				reason, _, _ := strings.Cut(strings.TrimSpace(r.Failure.Message), "\n")
				out = append(out, outcome{name, r.State, r.RunTime, reason})
			}
		}
	}
	slices.SortFunc(out, func(a, b outcome) int { return cmp.Compare(a.name, b.name) })
	return out
}

// summary is how many tests ended how, and a line for each.
func summary(results []outcome) string {
	counts := map[string]int{}
	var lines strings.Builder
	for _, r := range results {
		counts[r.state]++
		fmt.Fprintf(&lines, "%s\t%s\t%s\n", r.state, r.took.Round(time.Second), r.name)
	}
	return fmt.Sprintf("%d tests: %d passed, %d failed, %d otherwise\n%s", len(results), counts["passed"], counts["failed"],
		len(results)-counts["passed"]-counts["failed"], lines.String())
}
