import type { ParcelSummary } from "../api/client";
import { formatMoney } from "../format/money";

interface ParcelListProps {
  parcels: ParcelSummary[];
  onSelect: (code: string) => void;
}

/** A table of parcels; a click on a row selects it. */
export function ParcelList({ parcels, onSelect }: ParcelListProps) {
  if (parcels.length === 0) {
    return <p className="empty">No parcels yet.</p>;
  }
  return (
    <table>
      <tbody>
        {parcels.map((parcel) => (
          <tr key={parcel.code} onClick={() => onSelect(parcel.code)}>
            <td>{parcel.code}</td>
            <td>{parcel.state}</td>
            <td>{formatMoney(parcel.priceCents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
