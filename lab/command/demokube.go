// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/contiv/contiv/lab"
)

// demoSubnets are those of pods, apart from the demo's other networks.
const demoSubnets = "10.40.0.0/16,fd40::/64"

// demoKubernetes makes the demo's lab run Kubernetes if it is built, or prints why it cannot.
func (o *upOptions) demoKubernetes() error {
	o.pods.on = true
	k, err := o.pods.kubernetes()
	if err != nil {
		return err
	}
	if k.Bin == "" {
		o.pods.on = false
		return errors.New("make kubernetes builds what they need, once, in about six minutes; then the demo ends with a pod under a policy")
	}
	p := o.plan
	p.Kubernetes = k
	if err := lab.FindKubernetes(p); err != nil {
		o.pods.on = false
		return err
	}
	o.plan.Master = append(o.plan.Master, "--pod-subnets", demoSubnets)
	return nil
}

// demoPods starts pods, one of them under a policy, and prints which pods reach that one and why another does not.
func demoPods(ctx context.Context, w *where, l *lab.Lab) (wrong int, err error) {
	addresses, err := demoStartPods(ctx, w, l)
	if err != nil {
		return 0, err
	}
	fmt.Fprintln(w.s.Out, "\nWhat the NetworkPolicy to-api lets into api (curl http://api by the service, on port 80, and by the pod's own address, on port 8080):")
	t := tabwriter.NewWriter(w.s.Out, 0, 2, 2, ' ', 0)
	for _, row := range []struct {
		from, to, url, why string
		want               bool
	}{
		{"buyer", "api", "http://" + addresses["api"] + ":8080", "to-api allows port 8080 from role=buyer", true},
		{"buyer", "service api", "http://api", "the service leads to port 8080 of api", true},
		{"guest", "api", "http://" + addresses["api"] + ":8080", "to-api isolates api, and nothing allows it", false},
		{"guest", "service api", "http://api", "the same", false},
		{"api", "guest", "http://" + addresses["guest"] + ":8080", "guest has no policy", true},
	} {
		got, err := demoAnswers(ctx, l, row.from, row.url+"/hostname")
		if err != nil {
			return wrong, err
		}
		v := verdict{row.want, got}
		if v.want != v.got {
			wrong++
		}
		fmt.Fprintf(t, "  %s to %s\t%s\t%s\n", row.from, row.to, v, row.why)
	}
	if err := t.Flush(); err != nil {
		return wrong, err
	}
	bad, err := demoWhy(ctx, w, l)
	return wrong + bad, err
}

// curlTimeout is curl's exit code after a timeout (curl's manual, "Exit codes").
const curlTimeout = 28

// demoAnswers reports whether a server answers a pod.
func demoAnswers(ctx context.Context, l *lab.Lab, from, url string) (bool, error) {
	_, err := demoKubectl(ctx, l, "", "exec", "--namespace", "kiosk", from, "--", "curl", "-sS", "-m", "2", url)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == curlTimeout {
		return false, nil
	}
	return err == nil, err
}

// demoStartPods creates the objects and prints the pods. It returns their IPv4 addresses by name when all are ready.
func demoStartPods(ctx context.Context, w *where, l *lab.Lab) (addresses map[string]string, err error) {
	fmt.Fprintln(w.s.Out, "\nKubernetes on the same hosts, without kube-proxy or a policy engine. Pods of namespace kiosk:")
	objects, err := demoPodObjects()
	if err != nil {
		return nil, err
	}
	for _, step := range []struct{ line, in string }{
		{"create namespace kiosk", ""},
		{"wait --namespace kiosk --timeout 1m --for=create serviceaccount/default", ""},
		{"apply -f -", string(objects)},
		{"wait --namespace kiosk --timeout 2m --for=condition=Ready pod --all", ""},
	} {
		if _, err := demoKubectl(ctx, l, step.in, strings.Fields(step.line)...); err != nil {
			return nil, err
		}
	}
	t := tabwriter.NewWriter(w.s.Out, 0, 2, 2, ' ', 0)
	fmt.Fprintln(t, "  name\thost\tlabel\tIPv4\tIPv6")
	addresses = map[string]string{}
	for _, p := range demoPodList() {
		out, err := demoKubectl(ctx, l, "", "get", "pod", "--namespace", "kiosk", p.name, "-o", "jsonpath={.status.podIPs[*].ip}")
		if err != nil {
			return nil, err
		}
		four, six, _ := strings.Cut(out, " ")
		addresses[p.name] = four
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", p.name, p.host, p.label, four, six)
	}
	return addresses, t.Flush()
}

// demoWhy runs netctl why for a blocked pod, and prints the first lines.
func demoWhy(ctx context.Context, w *where, l *lab.Lab) (wrong int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	line := "why kiosk/guest kiosk/api tcp 8080"
	ask := exec.CommandContext(ctx, filepath.Join(filepath.Dir(self), "netctl"), strings.Fields(line)...)
	if ask.Env, err = l.Environ(); err != nil {
		return 0, err
	}
	var errs bytes.Buffer
	ask.Stderr = &errs
	out, err := ask.Output() // a denial ends with a code of its own
	first, _, _ := strings.Cut(string(out), "\n")
	if first == "" {
		return 0, fmt.Errorf("netctl %s says nothing: %w: %s", line, err, errs.String())
	}
	mark := ""
	if !strings.HasPrefix(first, "DENIED: networkpolicy kiosk/to-api ") {
		wrong, mark = 1, " WRONG"
	}
	_, err = fmt.Fprintf(w.s.Out, "\n  $ netctl %s\n  %s%s\n", line, first, mark)
	return wrong, err
}

// demoKubectl runs kubectl and returns its output.
func demoKubectl(ctx context.Context, l *lab.Lab, in string, args ...string) (string, error) {
	run, err := l.Kubectl(ctx, args...)
	if err != nil {
		return "", err
	}
	var errs bytes.Buffer
	run.Stdin, run.Stderr = strings.NewReader(in), &errs
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return string(out), nil
}

// demoPodsNext suggests commands for the pods of the lab that the flags select.
func demoPodsNext(of string) string {
	return fmt.Sprintf(`
  netctl why kiosk/guest kiosk/api tcp 8080         may a pod reach another?
  netctl matrix -n kiosk                            what pods of a namespace may open towards each other
  netctl netpol inspect kiosk/to-api                a policy, and the pods that it selects
  contiv lab%[1]s kubectl get pods -A          the cluster
  contiv lab%[1]s kubectl label -n kiosk pod guest role=buyer --overwrite
  contiv lab%[1]s kubectl exec -n kiosk guest -- curl -sS http://api/hostname      now it may
`, of)
}
