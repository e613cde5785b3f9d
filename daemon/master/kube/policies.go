// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/sanitize"
)

// Bounds of the condition of a policy: the number of reasons and of hosts, and the length of its message in bytes; the API server accepts
// 32 KiB.
const (
	reasonsNamed = 5
	hostsNamed   = 5
	longMessage  = 2048
)

// policies has the cluster-wide policies of a term, by name.
type policies struct {
	clusterwide map[string]*translate.ClusterPolicy
	unenforced  map[string]string   // the parts of a policy that are not in force, as text; nil: not checked
	unstated    map[string]struct{} // policies whose status may be outdated
}

func newPolicies() policies {
	return policies{clusterwide: map[string]*translate.ClusterPolicy{}, unstated: map[string]struct{}{}}
}

// read records a policy.
func (p *policies) read(name string, policy *translate.ClusterPolicy) {
	p.clusterwide[name] = policy
	p.unstated[name] = struct{}{}
}

// readAll replaces all policies.
func (p *policies) readAll(all []kube.Object) {
	clear(p.clusterwide)
	clear(p.unstated)
	for _, o := range all {
		p.read(o.Key, o.Value.(*translate.ClusterPolicy))
	}
}

// forget removes a policy.
func (p *policies) forget(name string) {
	delete(p.clusterwide, name)
	delete(p.unstated, name)
}

// stating returns the parts of a policy that its status must report as not in force; ok is false if nothing must change, or nothing was
// checked yet.
func (p *policies) stating(name string) (policy *translate.ClusterPolicy, lacks string, ok bool) {
	policy = p.clusterwide[name]
	if policy == nil || p.unenforced == nil {
		return nil, "", false
	}
	lacks = p.unenforced[name]
	return policy, lacks, lacks != policy.Missing()
}

// lacking returns the parts of cluster-wide policies that are not in force, as text, by name: what netmaster cannot read, and what does not
// fit into switches.
func lacking(v *catalog.View) map[string]string {
	out := map[string]string{}
	list := v.ClusterNetworkPolicies()
	if len(list) == 0 {
		return out
	}
	open, unreads := timeline.Begun(v), map[string][]string{}
	for _, p := range v.UnreadPolicies() {
		unreads[p.Name] = p.Unread // policies of namespaces have a slash in their names
	}
	for _, p := range list {
		var parts []string
		if unread := unreads[p.Name]; len(unread) > 0 {
			parts = append(parts, "this is not read, and what it is to accept is not accepted: "+some(unread, reasonsNamed, "; "))
		}
		if hosts := open.Hosts(model.FindingPolicyCrowded, "policy/"+p.Name); len(hosts) > 0 {
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

// lack records the parts of policies that are not in force, and schedules their statuses.
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

// statePolicies writes the outdated statuses of policies. Failed ones are retried later, unless the account may not write statuses: no
// traffic depends on a status.
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
		case err == nil, errors.Is(err, kube.ErrStale): // the watch delivers the newer object
			continue
		case errors.Is(err, kube.ErrForbidden):
			e.Log.Warn("cannot write the status of a policy", "id", name, "error", err)
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

// unstatedOnes returns the policies whose status may be outdated, and clears the set.
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
