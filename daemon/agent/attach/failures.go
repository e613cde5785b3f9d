// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/identity"
)

// Failure is an attachment that failed and has not succeeded since.
type Failure struct {
	Container string // "pod/NAMESPACE/NAME", or "container/NAME"
	At        time.Time
	Tries     int // that have failed, one after the other
	Reason    string
}

const (
	// failureKept is for how long a failure is remembered.
	failureKept = time.Hour
	// maxFailures is how many are.
	maxFailures = 100
)

// failures remembers those of the last hour, one for each container or pod.
type failures struct {
	mu sync.Mutex
	by map[string]Failure
}

func newFailures() *failures { return &failures{by: map[string]Failure{}} }

// subject is the pod or container that an attachment is for: a runtime tries a pod again under the id of another container.
func (r *Request) subject() string {
	if r.Pod != nil && r.Pod.Name != "" {
		return "pod/" + identity.Pod{Namespace: r.Pod.Namespace, Name: r.Pod.Name}.Path()
	}
	return "container/" + cmp.Or(r.Name, r.ContainerID)
}

// record records the result of an attachment: a success removes its failure.
func (f *failures) record(r *Request, err error, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	who := r.subject()
	if err == nil {
		delete(f.by, who)
		return
	}
	f.expire(now)
	if _, known := f.by[who]; !known && len(f.by) >= maxFailures {
		oldest := slices.MinFunc(slices.Collect(maps.Values(f.by)), func(a, b Failure) int { return a.At.Compare(b.At) })
		delete(f.by, oldest.Container)
	}
	f.by[who] = Failure{Container: who, At: now, Tries: f.by[who].Tries + 1, Reason: err.Error()}
}

// expire removes old failures. The caller holds f.mu.
func (f *failures) expire(now time.Time) {
	maps.DeleteFunc(f.by, func(_ string, x Failure) bool { return now.Sub(x.At) > failureKept })
}

// Failures lists the attachments of the last hour that failed and have not succeeded since, by container: at most the latest hundred.
func (e *Engine) Failures() []Failure {
	e.failures.mu.Lock()
	defer e.failures.mu.Unlock()
	e.failures.expire(time.Now())
	return slices.SortedFunc(maps.Values(e.failures.by), func(a, b Failure) int { return cmp.Compare(a.Container, b.Container) })
}
