package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/sanitize"
)

// crowded is the finding of an agent whose switch has no room for rules of a cluster-wide policy, about object "policy/NAME".
const crowded = "policy-crowded"

// How many reasons and hosts the condition of a policy names, and how long its message may be, in bytes; the API server takes 32 KiB.
const (
	reasonsNamed = 5
	hostsNamed   = 5
	longMessage  = 2048
)

// policies is what is known in a term of cluster-wide policies, by their names.
type policies struct {
	clusterwide map[string]*translate.ClusterPolicy
	unenforced  map[string]string   // what of a policy is not in force, in words; nil: no one has looked
	unstated    map[string]struct{} // policies whose status may say something else
}

func newPolicies() policies {
	return policies{clusterwide: map[string]*translate.ClusterPolicy{}, unstated: map[string]struct{}{}}
}

// read takes over a policy.
func (p *policies) read(name string, policy *translate.ClusterPolicy) {
	p.clusterwide[name] = policy
	p.unstated[name] = struct{}{}
}

// readAll takes over all policies.
func (p *policies) readAll(all []kube.Object) {
	clear(p.clusterwide)
	clear(p.unstated)
	for _, o := range all {
		p.read(o.Key, o.Value.(*translate.ClusterPolicy))
	}
}

// forget forgets a policy.
func (p *policies) forget(name string) {
	delete(p.clusterwide, name)
	delete(p.unstated, name)
}

// stating is what the status of a policy is to say is not in force; ok is false when there is nothing to change, or no one has looked yet.
func (p *policies) stating(name string) (policy *translate.ClusterPolicy, lacks string, ok bool) {
	policy = p.clusterwide[name]
	if policy == nil || p.unenforced == nil {
		return nil, "", false
	}
	lacks = p.unenforced[name]
	return policy, lacks, lacks != policy.Missing()
}

// lacking is what of cluster-wide policies is not in force, in words, by their names: what netmaster cannot read, and what switches have no room for.
func lacking(v *catalog.View) map[string]string {
	out := map[string]string{}
	list := v.ClusterNetworkPolicies()
	if len(list) == 0 {
		return out
	}
	open, unreads := timeline.Begun(v), map[string][]string{}
	for _, p := range v.UnreadPolicies() {
		unreads[p.Name] = p.Unread // those of namespaces have a slash in their names
	}
	for _, p := range list {
		var parts []string
		if unread := unreads[p.Name]; len(unread) > 0 {
			parts = append(parts, "this is not read, and what it is to accept is not accepted: "+some(unread, reasonsNamed, "; "))
		}
		if hosts := open.Hosts(crowded, "policy/"+p.Name); len(hosts) > 0 {
			parts = append(parts, "rules have no room in the switches of hosts "+some(hosts, hostsNamed, ", ")+", where they deny all traffic of their subjects: give policies of one tier different priorities")
		}
		if len(parts) > 0 {
			out[p.Name] = sanitize.Line(strings.Join(parts, ". "), longMessage)
		}
	}
	return out
}

// some lists the first few of some texts.
func some(list []string, most int, between string) string {
	text := strings.Join(list[:min(len(list), most)], between)
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf("%sand %d more", between, more)
	}
	return text
}

// lack takes over what of policies is not in force, and has statuses say so.
func (e *Engine) lack(now map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.known.unenforced
	e.known.unenforced = now
	for name := range e.known.clusterwide {
		if was == nil || was[name] != now[name] {
			e.known.unstated[name] = struct{}{}
		}
	}
	e.wakeReporter()
}

// statePolicies writes the statuses of policies that are not as they are to be. What fails is left for the next time, unless the account may not write any:
// nobody's traffic waits for a status.
func (e *Engine) statePolicies(ctx context.Context) error {
	var failed []error
	for _, name := range e.unstatedOnes() {
		e.mu.Lock()
		p, lacks, differs := e.known.stating(name)
		e.mu.Unlock()
		if !differs {
			continue
		}
		err := e.Source.ReportPolicy(ctx, p, lacks)
		switch {
		case err == nil, errors.Is(err, kube.ErrStale): // the watch brings what there is now
			continue
		case errors.Is(err, kube.ErrForbidden):
			e.Log.Warn("what of a policy is not in force is not written to its status", "id", name, "error", err)
			continue
		}
		e.mu.Lock()
		e.known.unstated[name] = struct{}{}
		e.mu.Unlock()
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// unstatedOnes are the policies whose status may say something else. They are taken.
func (e *Engine) unstatedOnes() (names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range e.known.unstated {
		names = append(names, name)
	}
	clear(e.known.unstated)
	slices.Sort(names)
	return names
}
