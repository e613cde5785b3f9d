// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/identity"
)

func podMatrixEntry() Entry {
	return Entry{Name: "podmatrix", Short: "pods", Aliases: []string{"pods", "pm"}, About: "allowed connections of the pods of a Kubernetes namespace",
		Make: func() *Page { return PodMatrix("") }, Open: func(path []string, view string) *Page {
			if len(path) != 1 || view != "" {
				return nil
			}
			return PodMatrix(path[0])
		}, Offer: func(s *feed.Snapshot, _ string, add func(string)) {
			for _, name := range namespaces(s) {
				add("/" + name)
			}
		}}
}

// namespaces are those of Kubernetes, by name.
func namespaces(s *feed.Snapshot) (out []string) {
	for _, o := range s.Objects[model.KindKubeNamespace().Name] {
		out = append(out, o.ObjectKey())
	}
	return out
}

// ofKubernetes reports whether there are policies of Kubernetes.
func ofKubernetes(s *feed.Snapshot) bool {
	return amount(s, model.KindNetworkPolicy())+amount(s, model.KindClusterNetworkPolicy()) > 0
}

// podMatrix is the body of what the pods of a namespace may open towards each other and the outside, by both gates. netmaster judges.
type podMatrix struct {
	cross
	page      *Page
	namespace string // "": the first that has pods
}

// PodMatrix makes the page of a namespace; "" is the first that has pods.
func PodMatrix(namespace string) *Page {
	p := &podMatrix{namespace: namespace}
	p.page = &Page{Name: "podmatrix", Live: true, Body: p, Keys: []Key{
		on("n", "show the next namespace", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			if all := namespaces(s); len(all) > 0 {
				p.show(all[(slices.Index(all, p.chosen(s))+1)%len(all)])
				p.row, p.col = 0, 0
			}
			return Action{}
		}).hint("n", "next namespace"),
		on("w", "trace such a packet: whether it passes, and why", func(_ string, _ Canvas, s *feed.Snapshot) Action { return p.why(s) }).hint("w", "why"),
		on("enter", "show the pods of the row", func(_ string, _ Canvas, s *feed.Snapshot) Action { return p.pods(s) }).hint("enter", "pods"),
	}}
	p.page.Asks = func(s *feed.Snapshot) []feed.Question {
		if p.chosen(s) == "" {
			return nil
		}
		return []feed.Question{p.question(s)}
	}
	p.show(namespace)
	return p.page
}

// show has the page be of a namespace.
func (p *podMatrix) show(namespace string) {
	p.namespace = namespace
	p.page.Command = "netctl namespace ls"
	if namespace != "" {
		p.page.Command = "netctl matrix -n " + namespace
	}
}

// chosen is the namespace that is shown; "" while none is known.
func (p *podMatrix) chosen(s *feed.Snapshot) string {
	if p.namespace != "" {
		return p.namespace
	}
	all := namespaces(s)
	i := slices.IndexFunc(s.Endpoints, func(e *feed.Endpoint) bool { return e.Pod != "" })
	if i >= 0 {
		pod, _ := identity.ParsePodPath(s.Endpoints[i].Pod)
		first := pod.Namespace
		for _, e := range s.Endpoints[i:] {
			if pod, _ := identity.ParsePodPath(e.Pod); pod.Namespace != "" && pod.Namespace < first {
				first = pod.Namespace
			}
		}
		p.show(first)
	} else if len(all) > 0 {
		return all[0] // others may have pods later
	}
	return p.namespace
}

func (p *podMatrix) question(s *feed.Snapshot) feed.Question {
	return feed.Question{Topic: feed.PodMatrix, Key: p.chosen(s)}
}

// answer is the last matrix of netmaster; nil: none yet.
func (p *podMatrix) answer(s *feed.Snapshot) *model.WorkloadMatrix {
	m, _, ok := feed.Of[model.WorkloadMatrix](s, p.question(s))
	if !ok {
		return nil
	}
	p.clamp(len(m.Workloads))
	return &m
}

// Key moves the cursor.
func (p *podMatrix) Key(msg tea.KeyPressMsg, _ Canvas, s *feed.Snapshot) Action {
	p.move(msg)
	p.answer(s)
	return Action{}
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *podMatrix) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	p.View(c, s) // where cells are now
	m := p.answer(s)
	if m == nil {
		return Action{}
	}
	if line := answerState(c, s.Answers[p.question(s)], "netmaster"); line != "" {
		y--
	}
	if cell, same := p.put(x, y, len(m.Workloads)); cell && same {
		return p.pods(s)
	}
	return Action{}
}

// pods shows the endpoints of the row.
func (p *podMatrix) pods(s *feed.Snapshot) Action {
	m := p.answer(s)
	if m == nil || len(m.Workloads) == 0 || len(m.Workloads[p.row].Pods) == 0 {
		return Action{}
	}
	w := m.Workloads[p.row]
	return open(podsPage("pods of "+w.Name, "netctl endpoint ls --namespace "+m.Namespace, func(*feed.Snapshot) []string {
		var out []string
		for _, pod := range w.Pods {
			out = append(out, identity.Pod{Namespace: m.Namespace, Name: pod}.Path())
		}
		return out
	}))
}

// why starts a why question about the cell under the cursor, with its first traffic that has a port.
func (p *podMatrix) why(s *feed.Snapshot) Action {
	m := p.answer(s)
	if m == nil || len(m.Workloads) == 0 {
		return Action{}
	}
	var ends [2]string
	for i, at := range []int{p.row, p.col} {
		if pods := m.Workloads[at].Pods; len(pods) > 0 {
			ends[i] = identity.Pod{Namespace: m.Namespace, Name: pods[0]}.Path()
			if i == 1 && at == p.row && len(pods) > 1 {
				ends[i] = identity.Pod{Namespace: m.Namespace, Name: pods[1]}.Path() // one of a row to another of it
			}
		}
	}
	traffic := ""
	for _, x := range p.cell(m).Classes {
		if protocol, port, _ := strings.Cut(x.Traffic, " "); traffic == "" && port != "" {
			first, _, _ := strings.Cut(port, "-")
			traffic = protocol + " " + first
		}
	}
	return open(Why(ends[0], ends[1], traffic))
}

// cell is that under the cursor.
func (p *podMatrix) cell(m *model.WorkloadMatrix) model.MatrixCell {
	if cell := m.Cell(m.Workloads[p.row].Name, m.Workloads[p.col].Name); cell != nil {
		return *cell
	}
	return model.MatrixCell{}
}

// View draws the matrix and, below it, what decides the cell under the cursor.
func (p *podMatrix) View(c Canvas, s *feed.Snapshot) (out []string) {
	t, namespace := c.Theme, p.chosen(s)
	if namespace == "" {
		return []string{t.Paint(theme.Dim, nothing(s, s.Synced, noneOf(model.KindKubeNamespace())(s)))}
	}
	if line := answerState(c, s.Answers[p.question(s)], "netmaster"); line != "" {
		out = append(out, line)
	}
	m := p.answer(s)
	if m == nil {
		return out
	}
	out = append(out, t.Paint(theme.Title, "namespace "+namespace)+t.Paint(theme.Dim, "  connections allowed by network policies and by policies of groups"))
	if len(m.Workloads) < 2 {
		return append(out, t.Paint(theme.Dim, "it has no pods on Contiv networks"))
	}
	sums := map[[2]string]string{}
	for i := range m.Cells {
		sums[[2]string{m.Cells[i].From, m.Cells[i].To}] = m.Cells[i].Sum
	}
	names := make([]string, len(m.Workloads))
	for i := range m.Workloads {
		names[i] = m.Workloads[i].Name
	}
	detail := p.detail(c, m)
	out = append(out, p.draw(c, names, c.Height-1-len(out)-len(detail), func(row, col int) (string, theme.Role) {
		return cellText(t, sums[[2]string{names[row], names[col]}])
	})...)
	return append(append(out, ""), detail...)
}

// detail lists each class of traffic between the two under the cursor, and the decider at each end.
func (p *podMatrix) detail(c Canvas, m *model.WorkloadMatrix) []string {
	t, cell := c.Theme, p.cell(m)
	from, to := m.Workloads[p.row].Name, m.Workloads[p.col].Name
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+from+" to "+to+"  ") + cmp.Or(cell.Sum, "not judged")}
	if cell.Sum == "" {
		return append(out, t.Paint(theme.Dim, "connections from outside to outside are not checked"))
	}
	for _, x := range cell.Classes {
		if len(out) > max(4, c.Height/3) {
			return append(out, t.Paint(theme.Dim, "  "+t.Glyphs.Ellipsis+" all with: netctl matrix -n "+m.Namespace+" "+nameOf(m, p.row)+" "+nameOf(m, p.col)))
		}
		role, known := map[string]theme.Role{"allowed": theme.Good, "denied": theme.Bad}[x.Fate]
		if !known {
			role = theme.Held
		}
		var why []string
		if x.Out != "" {
			why = append(why, "at the sender "+x.Out)
		}
		if x.In != "" {
			why = append(why, "at the receiver "+x.In)
		}
		text := strings.Join(why, ", ")
		out = append(out, t.Paint(role, "  "+widget.Fit(t, x.Traffic, 14)+widget.Fit(t, x.Fate, 8))+" "+cmp.Or(text, "no policy matches"))
	}
	return out
}

// nameOf is a row as netctl takes it: one of its pods, or the outside.
func nameOf(m *model.WorkloadMatrix, row int) string {
	if pods := m.Workloads[row].Pods; len(pods) > 0 {
		return pods[0]
	}
	return m.Workloads[row].Name
}
