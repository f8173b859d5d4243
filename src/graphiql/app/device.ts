// The kind of device that the page is used on.

/** Whether the panes are stacked (app.css). */
export const isPhone = (): boolean => matchMedia('(width <= 760px)').matches;

/** Whether the device may have no keyboard. */
export const isTapped = (): boolean => isPhone() || matchMedia('(pointer: coarse)').matches;
