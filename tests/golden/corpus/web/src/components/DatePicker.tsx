import { useState } from "react";

interface DatePickerProps {
  value: Date;
  earliest: Date;
  onChange: (value: Date) => void;
}

/** List the days of a month, padded to whole weeks that begin on Monday. */
export function daysOfMonth(year: number, month: number): (number | null)[] {
  const first = (new Date(year, month, 1).getDay() + 6) % 7;
  const count = new Date(year, month + 1, 0).getDate();
  return [...Array<null>(first).fill(null), ...Array.from({ length: count }, (_, day) => day + 1)];
}

/** Choose the day of collection. */
export function DatePicker({ value, earliest, onChange }: DatePickerProps) {
  const [month, setMonth] = useState(value.getMonth());
  const year = value.getFullYear();
  return (
    <div className="calendar">
      <button onClick={() => setMonth(month - 1)}>earlier</button>
      {daysOfMonth(year, month).map((day, index) => (
        <button
          key={index}
          disabled={day === null || new Date(year, month, day) < earliest}
          onClick={() => day !== null && onChange(new Date(year, month, day))}
        >
          {day}
        </button>
      ))}
    </div>
  );
}
