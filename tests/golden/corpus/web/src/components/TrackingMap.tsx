interface Position {
  latitude: number;
  longitude: number;
}

interface TrackingMapProps {
  route: Position[];
  width: number;
  height: number;
}

/** Project a position to pixels with the Mercator projection. */
export function project(position: Position, width: number, height: number): [number, number] {
  const x = ((position.longitude + 180) / 360) * width;
  const radians = (position.latitude * Math.PI) / 180;
  const y = height / 2 - (width / (2 * Math.PI)) * Math.log(Math.tan(Math.PI / 4 + radians / 2));
  return [x, y];
}

/** Draw the way of a parcel as a line over the sea. */
export function TrackingMap({ route, width, height }: TrackingMapProps) {
  const points = route.map((position) => project(position, width, height).join(",")).join(" ");
  return (
    <svg width={width} height={height}>
      <polyline points={points} fill="none" stroke="currentColor" />
    </svg>
  );
}
