// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/fold"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
)

// maxWorkloads bounds a matrix, which has as many cells as their square.
const maxWorkloads = 100

// outside is what the rest of the world is called.
const outside = "outside"

// workload is one side of a matrix.
type workload struct {
	verdict.Workload
	model.MatrixWorkload
}

// matrix answers what the pods of a namespace may open towards each other and the outside.
func (s *prober) matrix(q *http.Request, p httprouter.Params) (any, error) {
	m := &matrix{namespace: p.ByName("namespace"), rules: map[string]*verdict.Policies{}}
	var err error
	who := auth.Of(q.Context())
	if !who.Everywhere() && len(who.Grants) == 0 {
		return nil, who.Tenant("")
	}
	s.catalog.View(func(v *catalog.View) { err = m.read(v) })
	if !who.Everywhere() && (err != nil || !m.within(who)) {
		return nil, who.Tenant("")
	}
	if err != nil {
		return nil, err
	}
	return m.answer(), nil
}

// matrix is what a matrix is made of.
type matrix struct {
	namespace string
	net       *verdict.NetworkPolicies
	rules     map[string]*verdict.Policies // by tenant
	workloads []workload
}

// read takes over what the catalog knows, so that no request waits for the rest.
func (m *matrix) read(v *catalog.View) error {
	pods := v.Pods(m.namespace)
	if len(pods) == 0 && !v.Has(model.KindKubeNamespace().Name, m.namespace) {
		return v.NotFound(model.KindKubeNamespace(), m.namespace)
	}
	m.net = oper.Judges(v, &verdict.Pod{Namespace: m.namespace})
	at := map[string]int{}
	for _, e := range pods {
		w := workload{Workload: verdict.Workload{Pod: kubeview.VerdictPod(e)}, MatrixWorkload: model.MatrixWorkload{Name: e.Pod.ID.Name, Tenant: e.ID.Tenant}}
		for _, a := range []netip.Addr{e.IP, e.IP6} {
			if a.IsValid() {
				w.Addrs = append(w.Addrs, a)
			}
		}
		if !e.Group.IsZero() {
			w.Group, _ = v.Stored(model.KindEndpointGroup(), e.Group.String()).(*model.EndpointGroup)
		}
		if m.rules[w.Tenant] == nil {
			m.rules[w.Tenant] = verdict.New(w.Tenant, v.Objects(model.KindEndpointGroup()), v.Objects(model.KindNetwork()), v.Objects(model.KindRule()))
		}
		like := w.Tenant + "\n" + (&verdict.Gates{Net: m.net}).Alike(w.Workload)
		i, known := at[like]
		if !known {
			i = len(m.workloads)
			at[like] = i
			m.workloads = append(m.workloads, w)
		}
		if own := &m.workloads[i]; !slices.Contains(own.Pods, e.Pod.ID.Name) {
			own.Pods = append(own.Pods, e.Pod.ID.Name)
		}
	}
	if len(m.workloads) > maxWorkloads {
		return model.Errorf(model.CodeTooLarge, "namespace", "policies distinguish %d kinds of pods of namespace %s; a matrix has at most %d", len(m.workloads), m.namespace, maxWorkloads).
			Try("netctl why NAMESPACE/POD NAMESPACE/POD judges two pods")
	}
	for i := range m.workloads {
		if w := &m.workloads[i]; len(w.Pods) > 1 {
			w.Name = fold.Plus(w.Name, len(w.Pods)-1)
		}
	}
	slices.SortFunc(m.workloads, func(a, b workload) int { return strings.Compare(a.Name, b.Name) })
	m.workloads = append(m.workloads, workload{MatrixWorkload: model.MatrixWorkload{Name: outside}})
	return nil
}

// within reports whether all pods of the namespace are of tenants that one may see.
func (m *matrix) within(who *auth.Subject) bool {
	for i := range m.workloads {
		if w := &m.workloads[i]; w.Name != outside && (w.Tenant == "" || who.Tenant(w.Tenant) != nil) {
			return false
		}
	}
	return len(m.workloads) > 1
}

// answer judges everyone with everyone.
func (m *matrix) answer() *model.WorkloadMatrix {
	out := &model.WorkloadMatrix{Namespace: m.namespace}
	for i := range m.workloads {
		from := &m.workloads[i]
		out.Workloads = append(out.Workloads, from.MatrixWorkload)
		for j := range m.workloads {
			out.Cells = append(out.Cells, m.cell(from, &m.workloads[j]))
		}
	}
	return out
}

func (m *matrix) cell(from, to *workload) model.MatrixCell {
	cell := model.MatrixCell{From: from.Name, To: to.Name, Classes: []model.MatrixClass{}}
	if from.Tenant != "" && to.Tenant != "" && from.Tenant != to.Tenant {
		cell.Sum = "none: tenants are apart"
		return cell
	}
	tenant := from.Tenant
	if tenant == "" {
		tenant = to.Tenant
	}
	list := (&verdict.Gates{Rules: m.rules[tenant], Net: m.net}).Between(from.Workload, to.Workload)
	if len(list) > 0 {
		cell.Sum = verdict.SumOf(list).Text
	}
	for _, r := range list {
		cell.Classes = append(cell.Classes, model.MatrixClass{Traffic: r.Traffic.String(), Fate: r.Fate.String(), Out: r.Out, In: r.In})
	}
	return cell
}
