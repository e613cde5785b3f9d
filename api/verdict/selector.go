package verdict

import "slices"

// Selector selects by labels: those that meet every requirement, so that an empty one selects all.
type Selector []Requirement

// Requirement is a Selector's condition for one key.
type Requirement struct {
	Key      string
	Operator Operator
	Values   []string // of In and NotIn
}

// Operator is the operator of a Requirement.
type Operator string

// The operators, with Kubernetes' names. NotIn is also met if the key is missing.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
)

// Selects reports whether labels meet every requirement. An unknown operator is never met.
func (s Selector) Selects(labels map[string]string) bool {
	return !slices.ContainsFunc(s, func(r Requirement) bool { return !r.met(labels) })
}

func (r *Requirement) met(labels map[string]string) bool {
	value, has := labels[r.Key]
	switch r.Operator {
	case In:
		return has && slices.Contains(r.Values, value)
	case NotIn:
		return !has || !slices.Contains(r.Values, value)
	case Exists:
		return has
	case DoesNotExist:
		return !has
	}
	return false
}
