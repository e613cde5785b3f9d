// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/netpolicy"
)

// selector reads a label selector. An invalid requirement is left out, so that more is selected, and is an error.
func selector(s *metav1.LabelSelector) (netpolicy.Selector, error) {
	if s == nil {
		return nil, nil
	}
	var all []netpolicy.Requirement
	var errs []error
	for key, value := range s.MatchLabels {
		all = append(all, netpolicy.Requirement{Key: key, Operator: netpolicy.In, Values: []string{value}})
	}
	operators := []netpolicy.Operator{netpolicy.In, netpolicy.NotIn, netpolicy.Exists, netpolicy.DoesNotExist}
	for _, e := range s.MatchExpressions {
		operator := netpolicy.Operator(e.Operator)
		if !slices.Contains(operators, operator) {
			errs = append(errs, fmt.Errorf("operator %q of label %q is not known", e.Operator, e.Key))
			continue
		}
		r := netpolicy.Requirement{Key: e.Key, Operator: operator}
		if operator == netpolicy.In || operator == netpolicy.NotIn {
			r.Values = e.Values
		}
		all = append(all, r)
	}
	return netpolicy.NewSelector(all...), errors.Join(errs...)
}
