package verdict

import "slices"

// Selector selects by labels: those that meet every requirement, so that an empty one selects all.
type Selector []Requirement

// Requirement is what a Selector asks of one key.
type Requirement struct {
	Key      string
	Operator Operator
	Values   []string // of In and NotIn
}

// Operator is how a Requirement judges.
type Operator string

// The operators, of the names that Kubernetes gives them. NotIn is met by what lacks the key, too.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
)

// Selects tells whether labels meet every requirement. An operator that is none is met by nothing.
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
