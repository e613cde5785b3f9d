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
	// endedKept is for how long it is after the runtime has detached the container: some runtimes detach between two attempts, with ten seconds or more
	// between them.
	endedKept = time.Minute
	// maxFailures is how many are.
	maxFailures = 100
)

// failures remembers those of the last hour, one for each container or pod.
type failures struct {
	mu sync.Mutex
	by map[string]failedSubject
}

// failedSubject is a Failure, the container of the last attempt, and when its runtime detached that; zero: it has not.
type failedSubject struct {
	Failure
	id    string
	ended time.Time
}

func newFailures() *failures { return &failures{by: map[string]failedSubject{}} }

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
		oldest := slices.MinFunc(slices.Collect(maps.Values(f.by)), func(a, b failedSubject) int { return a.At.Compare(b.At) })
		delete(f.by, oldest.Container)
	}
	f.by[who] = failedSubject{Failure: Failure{Container: who, At: now, Tries: f.by[who].Tries + 1, Reason: err.Error()}, id: r.ContainerID}
}

// end records that a runtime has detached a container: without another attempt its failure is forgotten soon.
func (f *failures) end(container string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for who, x := range f.by {
		if x.id == container && x.ended.IsZero() {
			x.ended = now
			f.by[who] = x
		}
	}
}

// expire removes old failures. The caller holds f.mu.
func (f *failures) expire(now time.Time) {
	maps.DeleteFunc(f.by, func(_ string, x failedSubject) bool {
		return now.Sub(x.At) > failureKept || !x.ended.IsZero() && now.Sub(x.ended) > endedKept
	})
}

// list returns the failures that are remembered, by container.
func (f *failures) list(now time.Time) (out []Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(now)
	for _, who := range slices.Sorted(maps.Keys(f.by)) {
		out = append(out, f.by[who].Failure)
	}
	return out
}

// Failures lists the attachments of the last hour that failed and have not succeeded since, by container: at most the latest hundred. It leaves out those
// whose runtime has detached the container and not tried again for a minute.
func (e *Engine) Failures() []Failure { return e.failures.list(time.Now()) }
