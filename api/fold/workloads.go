// SPDX-License-Identifier: Apache-2.0

package fold

import "github.com/contiv/contiv/api/model"

// Workloads folds the matrix of a namespace. sum returns the summary of a cell by the numbers of its workloads.
func Workloads(m *model.WorkloadMatrix) (folded Matrix, sum func(from, to int) string) {
	sums := make(map[[2]string]string, len(m.Cells))
	for i := range m.Cells {
		sums[[2]string{m.Cells[i].From, m.Cells[i].To}] = m.Cells[i].Sum
	}
	sum = func(from, to int) string { return sums[[2]string{m.Workloads[from].Name, m.Workloads[to].Name}] }
	return Of(Each(len(m.Workloads)), sum), sum
}

// Pods is the name of a fold of workloads: of one its name; else the first pod, with the number of the other pods, "web-1 +4".
func (f Fold) Pods(m *model.WorkloadMatrix) string {
	first, others := m.Workloads[f[0]], -1
	if len(f) == 1 || len(first.Pods) == 0 {
		return first.Name
	}
	for _, i := range f {
		others += max(1, len(m.Workloads[i].Pods))
	}
	return Plus(first.Pods[0], others)
}
