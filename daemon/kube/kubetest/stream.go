// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
)

// Stream makes the server send existing objects by watches, to clients that request that, and watch events in protobuf, to clients that
// accept it: as API servers do since Kubernetes 1.34. It must be called before there are objects.
func (s *Server) Stream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = true
}

// stored is a stored object in its current version, with its encoding if that is known.
func (s *Server) stored(o Object, text []byte) (it stored, err error) {
	it = stored{version: s.version, text: text}
	if text == nil {
		if it.text, err = json.Marshal(o); err != nil {
			return it, err
		}
	}
	if s.streams {
		it.proto, err = encoded(o)
	}
	return it, err
}

// encoded is an object in protobuf, nil if its kind has none.
func encoded(o runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := protobuf.NewSerializer(nil, nil).Encode(o, &out)
	if protobuf.IsNotMarshalable(err) {
		return nil, nil
	}
	return out.Bytes(), err
}

// stream sends all objects of a resource, a bookmark for their end, and continues as a watch.
func (s *Server) stream(w http.ResponseWriter, q *http.Request, resource string) {
	s.mu.Lock()
	s.served++
	version, all := s.version, make([]stored, 0, len(s.objects[resource]))
	for _, key := range slices.Sorted(maps.Keys(s.objects[resource])) {
		all = append(all, s.objects[resource][key])
	}
	s.mu.Unlock()
	to := newFrames(w, q, true, resource)
	for i := range all {
		all[i].text = converted(all[i].text, path.Dir(q.URL.Path))
		to.send("ADDED", &all[i])
	}
	end, err := s.end(resource, version)
	end.text = converted(end.text, path.Dir(q.URL.Path))
	if err != nil {
		panic(err) // never for an object of this package
	}
	to.send("BOOKMARK", &end)
	s.watch(to, q, resource, version)
}

// end is the object of a bookmark that all objects up to a version have been sent.
func (s *Server) end(resource string, version int) (stored, error) {
	o := map[string]Object{"namespaces": &corev1.Namespace{}, "nodes": &corev1.Node{}, "pods": &corev1.Pod{}, "services": &corev1.Service{},
		"endpointslices": &discoveryv1.EndpointSlice{}, "networkpolicies": &networkingv1.NetworkPolicy{}, "clusternetworkpolicies": &v1alpha2.ClusterNetworkPolicy{}}[resource]
	group := corev1.SchemeGroupVersion
	switch resource {
	case "endpointslices":
		group = discoveryv1.SchemeGroupVersion
	case "networkpolicies":
		group = networkingv1.SchemeGroupVersion
	case "clusternetworkpolicies":
		group.Group, group.Version = v1alpha2.GroupVersion.Group, v1alpha2.GroupVersion.Version
	}
	o.GetObjectKind().SetGroupVersionKind(group.WithKind(kinds()[resource]))
	o.SetResourceVersion(strconv.Itoa(version))
	o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return s.stored(o, nil)
}
