// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/fold"
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

	last *model.WorkloadMatrix
	grid *pairs // of last
	from any    // the first cell of the answer that last is
}

// PodMatrix makes the page of a namespace; "" is the first that has pods.
func PodMatrix(namespace string) *Page {
	p := &podMatrix{namespace: namespace}
	p.page = &Page{Name: "podmatrix", Live: true, Body: p}
	p.page.Keys = slices.Concat([]Key{
		on("enter", "show the pods of the row", func(_ string, c Canvas, s *feed.Snapshot) Action { return p.pods(c, s) }).hint("enter", "pods"),
	}, p.keys(p.lay), []Key{
		on("w", "trace such a packet: whether it passes, and why", func(_ string, c Canvas, s *feed.Snapshot) Action { return p.why(c, s) }).hint("w", "why"),
		on("n", "show the next namespace", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			if all := namespaces(s); len(all) > 0 {
				p.show(all[(slices.Index(all, p.chosen(s))+1)%len(all)])
				p.row, p.col, p.at = 0, 0, [2]string{}
			}
			return Action{}
		}).hint("n", "next namespace"),
	})
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
	if len(m.Cells) > 0 && p.from == any(&m.Cells[0]) {
		return p.last
	}
	p.last, p.grid = &m, gridOf(&m)
	if len(m.Cells) > 0 {
		p.from = &m.Cells[0]
	}
	return p.last
}

// gridOf is the matrix of a namespace, folded. The name of a fold counts its pods.
func gridOf(m *model.WorkloadMatrix) *pairs {
	x := &pairs{folded: func(f fold.Fold) string { return f.Pods(m) }}
	for i := range m.Workloads {
		x.names = append(x.names, m.Workloads[i].Name)
	}
	x.folds, x.sum = fold.Workloads(m)
	return x
}

// lay lays the matrix out, and reports whether it has cells.
func (p *podMatrix) lay(c Canvas, s *feed.Snapshot) bool {
	m := p.answer(s)
	return m != nil && len(m.Workloads) > 1 && p.cross.show(p.grid, c.Filter)
}

// Key moves the cursor.
func (p *podMatrix) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	if p.lay(c, s) {
		p.move(msg)
	}
	return Action{}
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *podMatrix) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	p.View(c, s) // where cells are now
	if !p.lay(c, s) {
		return Action{}
	}
	if line := answerState(c, s.Answers[p.question(s)], "netmaster"); line != "" {
		y--
	}
	if cell, same := p.put(x, y); cell && same {
		return p.pods(c, s)
	}
	return Action{}
}

// pods shows the endpoints of the row.
func (p *podMatrix) pods(c Canvas, s *feed.Snapshot) Action {
	if !p.lay(c, s) {
		return Action{}
	}
	m, row := p.last, p.layout.rows[p.row]
	var paths []string
	for _, i := range row.Fold {
		for _, pod := range m.Workloads[i].Pods {
			paths = append(paths, identity.Pod{Namespace: m.Namespace, Name: pod}.Path())
		}
	}
	if len(paths) == 0 {
		return Action{}
	}
	return open(podsPage("pods of "+row.name, "netctl endpoint ls --namespace "+m.Namespace, func(*feed.Snapshot) []string { return paths }))
}

// why starts a why question about the cell under the cursor, with its first traffic that has a port.
func (p *podMatrix) why(c Canvas, s *feed.Snapshot) Action {
	if !p.lay(c, s) {
		return Action{}
	}
	m := p.last
	from, to := p.pair()
	var ends [2]string
	for i, at := range []int{from, to} {
		if pods := m.Workloads[at].Pods; len(pods) > 0 {
			ends[i] = identity.Pod{Namespace: m.Namespace, Name: pods[0]}.Path()
			if i == 1 && at == from && len(pods) > 1 {
				ends[i] = identity.Pod{Namespace: m.Namespace, Name: pods[1]}.Path() // one of a row to another of it
			}
		}
	}
	traffic := ""
	for _, x := range p.cell().Classes {
		if protocol, port, _ := strings.Cut(x.Traffic, " "); traffic == "" && port != "" {
			first, _, _ := strings.Cut(port, "-")
			traffic = protocol + " " + first
		}
	}
	return open(Why(ends[0], ends[1], traffic))
}

// cell is that under the cursor.
func (p *podMatrix) cell() model.MatrixCell {
	from, to := p.pair()
	if cell := p.last.Cell(p.last.Workloads[from].Name, p.last.Workloads[to].Name); cell != nil {
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
	if !p.lay(c, s) {
		return append(out, t.Paint(theme.Dim, "nothing matches the filter "+c.Filter.Text+" keeps; want SENDER>RECEIVER"))
	}
	out[len(out)-1] += t.Paint(theme.Dim, p.size("kinds of pods"))
	detail := p.detail(c)
	return append(append(out, p.draw(c, c.Height-len(out)-len(detail))...), detail...)
}

// detail lists each class of traffic between the two under the cursor, and the decider at each end.
func (p *podMatrix) detail(c Canvas) []string {
	t, m, cell := c.Theme, p.last, p.cell()
	from, to := p.pair()
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+p.layout.rows[p.row].name+" to "+p.layout.cols[p.col].name+"  ") + cmp.Or(cell.Sum, "not judged")}
	if cell.Sum == "" {
		return append(out, t.Paint(theme.Dim, "connections from outside to outside are not checked"))
	}
	if note := p.folding(); note != "" {
		out = append(out, t.Paint(theme.Dim, "  "+note))
	}
	for _, x := range cell.Classes {
		if len(out) > max(4, c.Height/3) {
			return append(out, t.Paint(theme.Dim, "  "+t.Glyphs.Ellipsis+" all with: netctl matrix -n "+m.Namespace+" "+nameOf(m, from)+" "+nameOf(m, to)))
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
