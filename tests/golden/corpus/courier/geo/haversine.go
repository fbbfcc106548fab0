// Package geo measures the sea.
package geo

import "math"

const earthRadiusKm = 6371.0

// Point is a place on the globe, in degrees.
type Point struct {
	Latitude, Longitude float64
}

// Distance returns the great-circle distance in kilometres, by the haversine formula.
func Distance(a, b Point) float64 {
	lat1, lat2 := radians(a.Latitude), radians(b.Latitude)
	dLat, dLon := lat2-lat1, radians(b.Longitude-a.Longitude)
	h := math.Pow(math.Sin(dLat/2), 2) + math.Cos(lat1)*math.Cos(lat2)*math.Pow(math.Sin(dLon/2), 2)
	return 2 * earthRadiusKm * math.Asin(math.Sqrt(h))
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
