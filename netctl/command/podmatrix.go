// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"strconv"

	"github.com/contiv/contiv/api/fold"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// runPodMatrix prints the connections that the pods of a namespace may open to each other, or the policies between two of them.
func runPodMatrix(ctx context.Context, f *Factory, o *output, namespace string, pair []string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	m, err := c.Matrix(ctx, namespace)
	if err != nil {
		return err
	}
	if len(pair) == 2 {
		return writePair(f, format, &m, pair[0], pair[1])
	}
	_, sum := fold.Workloads(&m)
	return f.print(crossOf(format, m, len(m.Workloads), func(from, to int) string { return cmp.Or(sum(from, to), "not judged") }, func(x fold.Fold) string { return x.Pods(&m) }), format)
}

// writePair lists each class of traffic between two pods, with its policy.
func writePair(f *Factory, format term.Format, m *model.WorkloadMatrix, from, to string) error {
	var ends [2]*model.MatrixWorkload
	for i, name := range []string{from, to} {
		if ends[i] = m.Of(name); ends[i] == nil {
			return model.Errorf(model.CodeNotFound, "", "namespace %s has no pod %s on a Contiv network", m.Namespace, name).
				Try("list its pods with netctl matrix -n %s", m.Namespace)
		}
	}
	cell := m.Cell(ends[0].Name, ends[1].Name)
	l := &term.Listing{Table: term.Table{Columns: columns("Traffic", "Fate", "At the sender", "At the receiver")}, Value: cell}
	for i, x := range cell.Classes {
		l.Row(strconv.Itoa(i), []string{x.Traffic, x.Fate, x.Out, x.In})
	}
	return f.print(l, format)
}
