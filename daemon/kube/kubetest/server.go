// SPDX-License-Identifier: Apache-2.0

// Package kubetest is a Kubernetes API server for tests and measurements of readers: it lists and watches, refuses expired resource
// versions, does not have kinds that are not installed, and may be away. It admits any object, merges changes of the status of services and
// cluster-wide policies, keeps ConfigMaps, and reviews tokens
// and accesses.
package kubetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TB is the part of a test that a Server needs: testing.TB, or a measurement that is no test.
type TB interface {
	Helper()
	Cleanup(func())
	TempDir() string
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Object is any object of Kubernetes. Its kind and version must be set.
type Object interface {
	metav1.Object
	runtime.Object
}

// Server is the API server.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string]map[string]stored // by resource, such as "pods", and by key
	events  []event
	oldest  int           // version before which events are expired
	moved   chan struct{} // closed at the next change
	away    bool
	frozen  bool
	hidden  map[string]bool // resources that the account may not read
	crd     definition
	held    string // resource whose watches send nothing
	served  int
	patched int
	tokens  map[string]Token
	// permitted are users, and the paths that they may get.
	permitted [][2]string
	// forbidden means that status may not be changed, tokens and accesses not reviewed, and ConfigMaps not used.
	forbidden bool
	streams   bool // lists are sent by watches, and in protobuf to clients that accept it
}

type stored struct {
	version int
	text    json.RawMessage
	proto   []byte // the same in protobuf, if the server streams; nil for kinds that have none
}

type event struct {
	stored
	resource, happened string
}

// Start starts a Server on loopback, without objects and without the definition of cluster-wide network policies. It ends with the test.
func Start(tb TB) *Server {
	tb.Helper()
	return StartAt(tb, "127.0.0.1:0")
}

// StartAt is Start at an address of this machine.
func StartAt(tb TB, address string) *Server {
	tb.Helper()
	s := &Server{version: 1, objects: map[string]map[string]stored{}, moved: make(chan struct{}), hidden: map[string]bool{},
		crd: definition{serves: []string{"v1alpha2", "v1beta1"}}}
	s.http = httptest.NewUnstartedServer(s)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	_ = s.http.Listener.Close() // the one that it would have used
	s.http.Listener = listener
	s.http.Start()
	tb.Cleanup(func() {
		s.Away(true)
		s.http.Close()
	})
	return s
}

// Kubeconfig writes a kubeconfig for the server into a directory of the test's and returns its path.
func (s *Server) Kubeconfig(tb TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],`+
		`"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"u","user":{}}]}`, s.http.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Put creates or changes objects.
func (s *Server) Put(tb TB, objects ...Object) {
	tb.Helper()
	for _, o := range objects {
		s.change(tb, o, false)
	}
}

// Delete removes objects.
func (s *Server) Delete(tb TB, objects ...Object) {
	tb.Helper()
	for _, o := range objects {
		s.change(tb, o, true)
	}
}

func (s *Server) change(tb TB, o Object, gone bool) {
	tb.Helper()
	kind := o.GetObjectKind().GroupVersionKind().Kind
	resource := strings.ToLower(kind) + "s"
	if stem, ok := strings.CutSuffix(resource, "ys"); ok {
		resource = stem + "ies"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	text, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	key := o.GetNamespace() + "/" + o.GetName()
	_, had := s.objects[resource][key]
	happened := "MODIFIED"
	switch {
	case gone && !had:
		tb.Fatalf("there is no %s %s to delete", kind, key)
	case gone:
		happened = "DELETED"
		delete(s.objects[resource], key)
	case !had:
		happened = "ADDED"
	}
	it, err := s.stored(o, text)
	if err != nil {
		tb.Fatal(err)
	}
	if !gone {
		if s.objects[resource] == nil {
			s.objects[resource] = map[string]stored{}
		}
		s.objects[resource][key] = it
	}
	s.events = append(s.events, event{it, resource, happened})
	s.wake()
}

// wake wakes the watches. The caller holds the lock.
func (s *Server) wake() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// Hold stops the watches of a resource, such as "services", from sending events; "" makes all of them continue with the missed events.
func (s *Server) Hold(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = resource
	s.wake()
}

// Away makes the server end all connections and answer no requests, or answer again.
func (s *Server) Away(away bool) {
	s.mu.Lock()
	s.away = away
	s.wake()
	s.mu.Unlock()
	if away {
		s.http.CloseClientConnections()
	}
}

// Freeze makes the server keep its connections and answer nothing, or work again.
func (s *Server) Freeze(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = is
	s.wake()
}

// thaw blocks while the server is frozen, unless the client disconnects.
func (s *Server) thaw(ctx context.Context) {
	for {
		s.mu.Lock()
		frozen, moved := s.frozen && !s.away, s.moved
		s.mu.Unlock()
		if !frozen {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		}
	}
}

// Forget deletes the history of changes: watches from earlier versions are refused, as after a compaction.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.events, s.oldest = nil, s.version
}

// Lists returns the number of served lists.
func (s *Server) Lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}
