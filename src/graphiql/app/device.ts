// What the page is used on.

/** Where the panes are stacked (app.css). */
export const isPhone = (): boolean => matchMedia('(width <= 760px)').matches;

/** Where there may be no keyboard. */
export const isTapped = (): boolean => isPhone() || matchMedia('(pointer: coarse)').matches;
