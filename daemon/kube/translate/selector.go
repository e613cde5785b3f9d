package translate

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/record"
)

// selector reads a label selector. An invalid requirement is left out, so that more is selected, and is an error.
func selector(s *metav1.LabelSelector) (record.Selector, error) {
	if s == nil {
		return nil, nil
	}
	var all []record.Requirement
	var errs []error
	for key, value := range s.MatchLabels {
		all = append(all, record.Requirement{Key: key, Operator: record.In, Values: []string{value}})
	}
	operators := []record.Operator{record.In, record.NotIn, record.Exists, record.DoesNotExist}
	for _, e := range s.MatchExpressions {
		operator := record.Operator(e.Operator)
		if !slices.Contains(operators, operator) {
			errs = append(errs, fmt.Errorf("operator %q of label %q is not known", e.Operator, e.Key))
			continue
		}
		r := record.Requirement{Key: e.Key, Operator: operator}
		if operator == record.In || operator == record.NotIn {
			r.Values = e.Values
		}
		all = append(all, r)
	}
	return record.Selected(all...), errors.Join(errs...)
}
